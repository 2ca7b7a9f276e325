#pragma once
#include <cblas.h>

#include <string>

namespace acceptance {

/// The functions of OpenBLAS we call, from libopenblas.so.0.
struct Blas {
  decltype(::cblas_dgemm)* dgemm;
  decltype(::cblas_sgemm)* sgemm;
  decltype(::openblas_set_num_threads)* set_threads;
  decltype(::openblas_get_num_threads)* get_threads;
  decltype(::openblas_get_config)* config;
  decltype(::openblas_get_corename)* core;
};

/// Loaded on first use. Throws Skip with the loader's words when OpenBLAS isn't installed.
const Blas& blas();

}  // namespace acceptance
