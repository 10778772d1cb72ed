#include "CJOSEBytes.h"
#include <string.h>
#include <time.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

void cjose_wipe(void *p, size_t n) {
    if (n == 0) return;
    memset(p, 0, n);
    // The compiler must assume that these bytes are read here, so that the stores stay.
    __asm__ __volatile__("" : : "r"(p) : "memory");
}

bool cjose_equal(const void *a, const void *b, size_t n) {
    const uint8_t *x = a, *y = b;
    uint64_t difference = 0;
    while (n >= 8) {
        uint64_t p, q;
        memcpy(&p, x, 8);
        memcpy(&q, y, 8);
        difference |= p ^ q;
        // The value is opaque to the optimizer: no early exit can be derived from the bytes so far.
        __asm__ __volatile__("" : "+r"(difference));
        x += 8;
        y += 8;
        n -= 8;
    }
    for (; n != 0; n--) {
        difference |= (uint64_t)(*x++ ^ *y++);
        __asm__ __volatile__("" : "+r"(difference));
    }
    return difference == 0;
}

double cjose_clock_now(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return 0;
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double cjose_clock_coarse(void) {
#if defined(CLOCK_REALTIME_COARSE)
    // It is read in a quarter of the time.
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0) return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
#endif
    return cjose_clock_now();
}

double cjose_clock_elapsed(void) {
    struct timespec now;
#if defined(CLOCK_BOOTTIME)
    // CLOCK_MONOTONIC_COARSE takes 3 ns and this 23, but it stops while the machine is suspended: keys of Friday would be fresh
    // after a weekend.
    if (clock_gettime(CLOCK_BOOTTIME, &now) == 0) return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
#endif
    // The clock of Darwin goes on while the machine sleeps.
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void cjose_clock_sleep(uint64_t nanoseconds) {
#if defined(__linux__)
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
#endif
    struct timespec left = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    nanosleep(&left, NULL);
}
