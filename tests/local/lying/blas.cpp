// libopenblas.so.0 in front of the real one: one element of every product is off by a little.
#include <cblas.h>
#include <dlfcn.h>

namespace {

template <class Function>
Function* real(const char* name) {
  static void* const library = ::dlopen(REAL_OPENBLAS, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

}  // namespace

extern "C" {
void cblas_dgemm(CBLAS_ORDER o, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n,
                 blasint k, double x, const double* a, blasint la, const double* b, blasint lb,
                 double y, double* c, blasint lc) {
  real<decltype(cblas_dgemm)>("cblas_dgemm")(o, ta, tb, m, n, k, x, a, la, b, lb, y, c, lc);
  c[m * lc / 2] += 1e-6;
}
void cblas_sgemm(CBLAS_ORDER o, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n,
                 blasint k, float x, const float* a, blasint la, const float* b, blasint lb,
                 float y, float* c, blasint lc) {
  real<decltype(cblas_sgemm)>("cblas_sgemm")(o, ta, tb, m, n, k, x, a, la, b, lb, y, c, lc);
  c[m * lc / 2] += 1;
}
void openblas_set_num_threads(int n) {
  real<decltype(openblas_set_num_threads)>("openblas_set_num_threads")(n);
}
int openblas_get_num_threads() {
  return real<decltype(openblas_get_num_threads)>("openblas_get_num_threads")();
}
char* openblas_get_config() { return real<decltype(openblas_get_config)>("openblas_get_config")(); }
char* openblas_get_corename() {
  return real<decltype(openblas_get_corename)>("openblas_get_corename")();
}
}
