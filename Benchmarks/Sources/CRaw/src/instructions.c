#include "CRaw.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

bool craw_instructions_start(void) {
    if (!RUNNING_ON_VALGRIND) return false;
    CALLGRIND_START_INSTRUMENTATION;
    return true;
}
void craw_instructions_zero(void) { CALLGRIND_ZERO_STATS; }
void craw_instructions_dump(const char *title) { CALLGRIND_DUMP_STATS_AT(title); }
#else
bool craw_instructions_start(void) { return false; }
void craw_instructions_zero(void) {}
void craw_instructions_dump(const char *title) { (void)title; }
#endif

bool craw_has_avx2(void) {
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}
