#include "marks.h"

#include <valgrind/memcheck.h>

bool marks_work(void) { return RUNNING_ON_VALGRIND != 0; }

void hide(const void *at, size_t n) { (void)VALGRIND_MAKE_MEM_UNDEFINED(at, n); }

void show(const void *at, size_t n) { (void)VALGRIND_MAKE_MEM_DEFINED(at, n); }

bool hidden(const void *at, size_t n) {
    uint8_t bits;
    for (size_t i = 0; i < n; i++) {
        // Not all bits of every byte are hidden: a length is in the low ones.
        if (VALGRIND_GET_VBITS((const uint8_t *)at + i, &bits, 1) != 1 || bits == 0) return false;
    }
    return true;
}

/// Marks a value as public; the shims call `show` by this name.
uint32_t cjose_shown(uint32_t verdict) {
    show(&verdict, sizeof verdict);
    return verdict;
}
