// A wall clock that is an hour ahead. Put in front of the unchanged program on one host of the lab.
#include <dlfcn.h>
#include <time.h>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  using Real = int (*)(clockid_t, timespec*);
  static const Real real = reinterpret_cast<Real>(::dlsym(RTLD_NEXT, "clock_gettime"));
  const int code = real(clock, time);
  constexpr time_t an_hour = 3600;
  if (code == 0 && clock == CLOCK_REALTIME) time->tv_sec += an_hour;
  return code;
}
