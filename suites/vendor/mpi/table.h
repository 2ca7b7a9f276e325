#pragma once

/// What the MPI module offers. It is built once per MPI, and is the only code that sees mpi.h;
/// the rest of the program sees this table. Every call returns 0, or an error code for
/// `error_text`.
extern "C" {

struct AcceptMpiGroup;  // a communicator of the module's

struct AcceptMpi {
  int (*start)(int* rank, int* size);  ///< MPI_Init
  int (*stop)();
  const char* (*version)();  ///< the library's own words
  void (*error_text)(int code, char* text, int length);

  /// A group of ranks of the world, made by those ranks alone (MPI_Comm_create_group).
  int (*group_make)(const int* world_ranks, int count, int tag, AcceptMpiGroup** group);
  int (*group_free)(AcceptMpiGroup* group);
  int (*group_rank)(AcceptMpiGroup* group);
  int (*group_size)(AcceptMpiGroup* group);

  int (*barrier)(AcceptMpiGroup* group);
  int (*broadcast)(AcceptMpiGroup* group, void* data, long bytes, int root);
  int (*gather)(AcceptMpiGroup* group, const void* mine, long bytes, void* all, int root);

  int (*send)(AcceptMpiGroup* group, const void* data, long bytes, int to);
  int (*receive)(AcceptMpiGroup* group, void* data, long bytes, int from);
  /// `count` messages of `bytes`, one after the other in `data`, all under way at once; then one
  /// acknowledgement. At most 256.
  int (*send_window)(AcceptMpiGroup* group, const void* data, long bytes, int count, int to);
  int (*receive_window)(AcceptMpiGroup* group, void* data, long bytes, int count, int from);
  /// Sum of 32-bit integers; `in` null = in place.
  int (*all_reduce_sum)(AcceptMpiGroup* group, const int* in, int* out, long count);
};

/// The module's one symbol.
const AcceptMpi* accept_mpi_table();
}
