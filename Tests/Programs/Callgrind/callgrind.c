#include "Callgrind.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

bool counts_begin(void) {
    if (!RUNNING_ON_VALGRIND) return false;
    CALLGRIND_START_INSTRUMENTATION;
    return true;
}
void counts_zero(void) { CALLGRIND_ZERO_STATS; }
void counts_write(const char *title) { CALLGRIND_DUMP_STATS_AT(title); }
#else
bool counts_begin(void) { return false; }
void counts_zero(void) {}
void counts_write(const char *title) { (void)title; }
#endif
