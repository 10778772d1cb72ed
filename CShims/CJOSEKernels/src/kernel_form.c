#if defined(CJOSE_ACCELERATED)
#include "kernel_form.h"
#include <stdatomic.h>

/// The form in use. It is atomic so that forcing a form in one test is no race with another; a relaxed load costs what a plain
/// one does.
static _Atomic(int32_t) current = cjose_kernel_form_openssl;
static _Atomic(bool) is_forced = false;

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
        // Each is true only where the operating system saves the registers, too.
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
    atomic_store_explicit(&is_forced, true, memory_order_relaxed);
    atomic_store_explicit(&current, form, memory_order_relaxed);
    return true;
}

/// Chooses the best form. Constructors run in no particular order: a form that another one has forced stays.
__attribute__((constructor)) static void choose(void) {
    if (atomic_load_explicit(&is_forced, memory_order_relaxed)) return;
    cjose_kernel_form best = cjose_kernel_form_openssl;
    if (is_present(cjose_kernel_form_ifma)) best = cjose_kernel_form_ifma;
    else if (is_present(cjose_kernel_form_portable)) best = cjose_kernel_form_portable;
    atomic_store_explicit(&current, best, memory_order_relaxed);
}
#endif
