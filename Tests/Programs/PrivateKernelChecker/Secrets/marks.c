#include "marks.h"

#include <stdint.h>

#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>

bool marks_work(void) { return true; }
void mark_secret(const void *at, size_t n) { __msan_poison(at, n); }
void mark_public(const void *at, size_t n) { __msan_unpoison(at, n); }
bool is_marked(const void *at, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (__msan_test_shadow((const uint8_t *)at + i, 1) != 0) return false;
    return true;
}
#else
#include <valgrind/memcheck.h>

bool marks_work(void) { return RUNNING_ON_VALGRIND != 0; }
void mark_secret(const void *at, size_t n) { (void)VALGRIND_MAKE_MEM_UNDEFINED(at, n); }
void mark_public(const void *at, size_t n) { (void)VALGRIND_MAKE_MEM_DEFINED(at, n); }
bool is_marked(const void *at, size_t n) {
    uint8_t bits;
    for (size_t i = 0; i < n; i++)
        if (VALGRIND_GET_VBITS((const uint8_t *)at + i, &bits, 1) != 1 || bits == 0) return false;
    return true;
}
#endif
