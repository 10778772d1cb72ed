#if defined(__linux__)
// This declares the functions for the affinity of a thread.
#define _GNU_SOURCE
#include <sched.h>
#endif
#include <unistd.h>

#include "CJOSEBytes.h"

int64_t cjose_processors(void) {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? online : 1;
}
