#ifndef CJOSE_KERNEL_FORM_H
#define CJOSE_KERNEL_FORM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// What the kernels are made of. `BULLA_KERNELS` (openssl, portable, ifma) in the environment chooses one that this machine has;
/// otherwise it is the best.
typedef enum __attribute__((enum_extensibility(closed))) cjose_kernel_form : int32_t {
    /// None of ours: every answer is `open`.
    cjose_kernel_form_openssl = 0,
    /// 64-bit limbs, on any CPU with a 128-bit product.
    cjose_kernel_form_portable = 1,
    /// Eight lanes of AVX-512 IFMA.
    cjose_kernel_form_ifma = 2,
} cjose_kernel_form;

cjose_kernel_form cjose_kernel_form_current(void);
/// Uses `form` from now on; false where this machine lacks it. For tests: calls that have begun may still end in another form.
bool cjose_kernel_form_force(cjose_kernel_form form);

/// The answer for one signature.
enum {
    cjose_kernel_invalid = 0,
    cjose_kernel_valid = 1,
    /// The form in use does not cover it: OpenSSL is to be asked.
    cjose_kernel_open = 2,
};

#pragma clang assume_nonnull end
#endif
