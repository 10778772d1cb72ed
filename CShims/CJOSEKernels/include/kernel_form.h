#ifndef CJOSE_KERNEL_FORM_H
#define CJOSE_KERNEL_FORM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// The implementations of the kernels. The best one that this machine has is used, unless a test forces another.
typedef enum __attribute__((enum_extensibility(closed))) cjose_kernel_form : int32_t {
    /// No kernels are used: every result is `not_covered`.
    cjose_kernel_form_openssl = 0,
    /// The kernels use 64-bit limbs, on any CPU with a 128-bit product.
    cjose_kernel_form_portable = 1,
    /// The kernels use AVX-512 IFMA, with eight SIMD lanes.
    cjose_kernel_form_ifma = 2,
} cjose_kernel_form;

cjose_kernel_form cjose_kernel_form_current(void);
/// Uses `form` from now on, and returns false where this machine lacks it. It is for tests: calls that have begun may still end
/// in another form.
bool cjose_kernel_form_force(cjose_kernel_form form);

/// The result for one signature.
enum {
    cjose_kernel_invalid = 0,
    cjose_kernel_valid = 1,
    /// The form in use does not cover the signature: OpenSSL verifies it.
    cjose_kernel_not_covered = 2,
};

#pragma clang assume_nonnull end
#endif
