#include "suites/compute/stream_kernels.h"

#include <stdexcept>
#include <string>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace acceptance {
namespace {

#if defined(__x86_64__)

// Streaming stores spare the read of the line that is about to be overwritten, as memcpy of large
// blocks does.
template <class Combine>
void stream(double* out, const double* x, const double* y, std::size_t count, Combine combine) {
  constexpr std::size_t step = 8;  // one cache line
  const std::size_t whole = count / step * step;
  for (std::size_t i = 0; i < whole; i += step)
    for (std::size_t k = 0; k < step; k += 2)
      _mm_stream_pd(out + i + k, combine(_mm_load_pd(x + i + k), _mm_load_pd(y + i + k)));
  for (std::size_t i = whole; i < count; ++i)
    _mm_store_sd(out + i, combine(_mm_load_sd(x + i), _mm_load_sd(y + i)));
  _mm_sfence();
}

using Vector = __m128d;
Vector times(Vector v) { return _mm_mul_pd(v, _mm_set1_pd(stream_factor)); }
Vector plus(Vector v, Vector w) { return _mm_add_pd(v, w); }
constexpr const char* stores = "streaming (non-temporal)";

#else

template <class Combine>
void stream(double* out, const double* x, const double* y, std::size_t count, Combine combine) {
  for (std::size_t i = 0; i < count; ++i) out[i] = combine(x[i], y[i]);
}

using Vector = double;
Vector times(Vector v) { return v * stream_factor; }
Vector plus(Vector v, Vector w) { return v + w; }
constexpr const char* stores = "ordinary";

#endif

void copy(double* a, double*, double* c, std::size_t n) {
  stream(c, a, a, n, [](Vector v, Vector) { return v; });
}
void scale(double*, double* b, double* c, std::size_t n) {
  stream(b, c, c, n, [](Vector v, Vector) { return times(v); });
}
void add(double* a, double* b, double* c, std::size_t n) {
  stream(c, a, b, n, [](Vector v, Vector w) { return plus(v, w); });
}
void triad(double* a, double* b, double* c, std::size_t n) {
  stream(a, b, c, n, [](Vector v, Vector w) { return plus(v, times(w)); });
}

constexpr auto& initial = stream_initial;
constexpr std::array<StreamKernel, 4> kernels{
    {{"copy", 2, 2, initial[0], copy},
     {"scale", 2, 1, stream_factor* initial[2], scale},
     {"add", 3, 2, initial[0] + initial[1], add},
     {"triad", 3, 0, initial[1] + stream_factor* initial[2], triad}}};

}  // namespace

const char* const stream_stores = stores;

const StreamKernel& stream_kernel(std::string_view name) {
  for (const StreamKernel& k : kernels)
    if (k.name == name) return k;
  throw std::out_of_range("no STREAM kernel " + std::string(name));
}

}  // namespace acceptance
