#define OMPI_SKIP_MPICXX 1  // the C interface alone
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <climits>
#include <cstring>
#include <vector>

#include "suites/vendor/mpi/table.h"

struct AcceptMpiGroup {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 0;
};

namespace {

constexpr int max_window = 256;

int start(int* rank, int* size) {
  // Not MPI_Init_thread: with any thread level Open MPI's small messages take a fifth longer (155
  // instead of 130 ns seen). The one other thread of a worker never calls MPI.
  int code = MPI_Init(nullptr, nullptr);
  if (code != MPI_SUCCESS) return code;
  // Errors come back as codes, so that they become records instead of an abort.
  code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (code != MPI_SUCCESS) return code;
  code = MPI_Comm_rank(MPI_COMM_WORLD, rank);
  return code != MPI_SUCCESS ? code : MPI_Comm_size(MPI_COMM_WORLD, size);
}

int stop() { return MPI_Finalize(); }

const char* version() {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  return text;
}

void error_text(int code, char* text, int length) {
  char words[MPI_MAX_ERROR_STRING] = {};
  int used = 0;
  MPI_Error_string(code, words, &used);
  std::strncpy(text, words, static_cast<std::size_t>(length - 1));
  text[length - 1] = '\0';
}

int group_make(const int* ranks, int count, int tag, AcceptMpiGroup** out) {
  MPI_Group world = MPI_GROUP_NULL, part = MPI_GROUP_NULL;
  int code = MPI_Comm_group(MPI_COMM_WORLD, &world);
  if (code == MPI_SUCCESS) code = MPI_Group_incl(world, count, ranks, &part);
  AcceptMpiGroup made;
  if (code == MPI_SUCCESS) code = MPI_Comm_create_group(MPI_COMM_WORLD, part, tag, &made.comm);
  if (part != MPI_GROUP_NULL) MPI_Group_free(&part);
  if (world != MPI_GROUP_NULL) MPI_Group_free(&world);
  if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(made.comm, MPI_ERRORS_RETURN);
  if (code == MPI_SUCCESS) code = MPI_Comm_rank(made.comm, &made.rank);
  if (code == MPI_SUCCESS) code = MPI_Comm_size(made.comm, &made.size);
  if (code == MPI_SUCCESS) *out = new AcceptMpiGroup(made);
  return code;
}

int group_free(AcceptMpiGroup* group) {
  const int code = MPI_Comm_free(&group->comm);
  delete group;
  return code;
}

int group_rank(AcceptMpiGroup* group) { return group->rank; }
int group_size(AcceptMpiGroup* group) { return group->size; }
int barrier(AcceptMpiGroup* group) { return MPI_Barrier(group->comm); }

int broadcast(AcceptMpiGroup* group, void* data, long bytes, int root) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  return MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, root, group->comm);
}

int gather(AcceptMpiGroup* group, const void* mine, long bytes, void* all, int root) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  const int n = static_cast<int>(bytes);
  return MPI_Gather(mine, n, MPI_BYTE, all, n, MPI_BYTE, root, group->comm);
}

int send(AcceptMpiGroup* group, const void* data, long bytes, int to) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  return MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, to, 0, group->comm);
}

int receive(AcceptMpiGroup* group, void* data, long bytes, int from) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  return MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, from, 0, group->comm, MPI_STATUS_IGNORE);
}

int send_window(AcceptMpiGroup* group, const void* data, long bytes, int count, int to) {
  if (bytes > INT_MAX || count > max_window) return MPI_ERR_COUNT;
  MPI_Request requests[max_window];
  for (int i = 0; i < count; ++i) {
    const char* from = static_cast<const char*>(data) + i * bytes;
    const int code =
        MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, to, 1, group->comm, &requests[i]);
    if (code != MPI_SUCCESS) return code;
  }
  const int code = MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  if (code != MPI_SUCCESS) return code;
  char acknowledged = 0;
  return MPI_Recv(&acknowledged, 1, MPI_BYTE, to, 2, group->comm, MPI_STATUS_IGNORE);
}

int receive_window(AcceptMpiGroup* group, void* data, long bytes, int count, int from) {
  if (bytes > INT_MAX || count > max_window) return MPI_ERR_COUNT;
  MPI_Request requests[max_window];
  for (int i = 0; i < count; ++i) {
    char* into = static_cast<char*>(data) + i * bytes;
    const int code =
        MPI_Irecv(into, static_cast<int>(bytes), MPI_BYTE, from, 1, group->comm, &requests[i]);
    if (code != MPI_SUCCESS) return code;
  }
  const int code = MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  if (code != MPI_SUCCESS) return code;
  const char acknowledged = 1;
  return MPI_Send(&acknowledged, 1, MPI_BYTE, from, 2, group->comm);
}

int all_reduce_sum(AcceptMpiGroup* group, const int* in, int* out, long count) {
  if (count > INT_MAX) return MPI_ERR_COUNT;
  return MPI_Allreduce(in ? in : MPI_IN_PLACE, out, static_cast<int>(count), MPI_INT, MPI_SUM,
                       group->comm);
}

const AcceptMpi table{start,      stop,        version,        error_text,
                      group_make, group_free,  group_rank,     group_size,
                      barrier,    broadcast,   gather,         send,
                      receive,    send_window, receive_window, all_reduce_sum};

}  // namespace

extern "C" const AcceptMpi* accept_mpi_table() { return &table; }
