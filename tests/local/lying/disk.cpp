// Loaded in front of the C library: one bit of every large block read from a file comes back
// flipped.
#include <dlfcn.h>
#include <unistd.h>

extern "C" ssize_t read(int fd, void* into, size_t size) {
  static const auto real =
      reinterpret_cast<ssize_t (*)(int, void*, size_t)>(::dlsym(RTLD_NEXT, "read"));
  const ssize_t n = real(fd, into, size);
  if (n > 1 << 20) static_cast<char*>(into)[n / 2] ^= 4;
  return n;
}
