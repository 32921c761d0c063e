// The C library's functions by the versions that a distribution of 2021 has (glibc 2.34), for builds that are to run there: the linker sends calls of
// these names here (--wrap, where FASTNP_STATIC_RUNTIME is on). What is younger: hypot and hypotf of 2.35, which give the same numbers without errno,
// and 2.36's arc4random, of which LLVM makes names of temporary files.
#include <sys/random.h>

#include <cstdint>

#ifdef __GLIBC__

extern "C" {

double fastnp_older_hypot(double x, double y);
float fastnp_older_hypotf(float x, float y);
__asm__(".symver fastnp_older_hypot, hypot@GLIBC_2.2.5");
__asm__(".symver fastnp_older_hypotf, hypotf@GLIBC_2.2.5");

double __wrap_hypot(double x, double y) { return fastnp_older_hypot(x, y); }  // NOLINT: the linker's names

float __wrap_hypotf(float x, float y) { return fastnp_older_hypotf(x, y); }  // NOLINT: the linker's names

std::uint32_t __wrap_arc4random() {  // NOLINT: the linker's names
    std::uint32_t number = 0;
    while (getrandom(&number, sizeof number, 0) != sizeof number) continue;
    return number;
}

}  // extern "C"

#endif
