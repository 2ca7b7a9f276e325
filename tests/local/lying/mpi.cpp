// An MPI module like ours, except that one element of every sum, and one byte of every message that
// rank 1 receives, is wrong.
#define accept_mpi_table honest_table
#include "suites/vendor/mpi/module.cpp"
#undef accept_mpi_table

namespace {

int wrong_sum(AcceptMpiGroup* group, const int* in, int* out, long count) {
  const int code = all_reduce_sum(group, in, out, count);
  if (group->rank == 1) out[count - 1] ^= 1;
  return code;
}

int wrong_byte(AcceptMpiGroup* group, void* data, long bytes, int from) {
  const int code = receive(group, data, bytes, from);
  if (group->rank == 1) static_cast<char*>(data)[bytes / 2] ^= 1;
  return code;
}

}  // namespace

extern "C" const AcceptMpi* accept_mpi_table() {
  static const AcceptMpi lying = [] {
    AcceptMpi t = *honest_table();
    t.all_reduce_sum = wrong_sum;
    t.receive = wrong_byte;
    return t;
  }();
  return &lying;
}
