#include "suites/vendor/blas.h"

#include "suites/vendor/library.h"

namespace acceptance {

const Blas& blas() {
  static const Blas table = [] {
    static const Library library("libopenblas.so.0");
    Blas b{};
    library.find("cblas_dgemm", b.dgemm);
    library.find("cblas_sgemm", b.sgemm);
    library.find("openblas_set_num_threads", b.set_threads);
    library.find("openblas_get_num_threads", b.get_threads);
    library.find("openblas_get_config", b.config);
    library.find("openblas_get_corename", b.core);
    return b;
  }();
  return table;
}

}  // namespace acceptance
