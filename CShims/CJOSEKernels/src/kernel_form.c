#include "kernel_form.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/// Atomic so that forcing a form in one test is no race with another; a relaxed load costs what a plain one does.
static _Atomic(int32_t) current = cjose_kernel_form_openssl;

cjose_kernel_form cjose_kernel_form_current(void) {
    return (cjose_kernel_form)atomic_load_explicit(&current, memory_order_relaxed);
}

static bool is_present(cjose_kernel_form form) {
    switch (form) {
    case cjose_kernel_form_openssl: return true;
    case cjose_kernel_form_portable:
#if defined(__SIZEOF_INT128__)
        return true;
#else
        return false;
#endif
    case cjose_kernel_form_ifma:
#if defined(__x86_64__)
        // Each is true only where the system saves the registers, too.
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512ifma");
#else
        return false;
#endif
    }
    return false;
}

bool cjose_kernel_form_force(cjose_kernel_form form) {
    if (!is_present(form)) return false;
    atomic_store_explicit(&current, form, memory_order_relaxed);
    return true;
}

__attribute__((constructor)) static void choose(void) {
    static const struct { const char *name; cjose_kernel_form form; } known[] = {
        {"ifma", cjose_kernel_form_ifma}, {"portable", cjose_kernel_form_portable}, {"openssl", cjose_kernel_form_openssl}};
    const size_t count = sizeof known / sizeof *known;
    const char *asked = getenv("BULLA_KERNELS");
    for (size_t i = 0; asked && i < count; i++)
        if (strcmp(asked, known[i].name) == 0 && cjose_kernel_form_force(known[i].form)) return;
    for (size_t i = 0; i < count; i++)
        if (cjose_kernel_form_force(known[i].form)) return;
}
