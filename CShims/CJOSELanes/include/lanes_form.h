#ifndef CJOSE_LANES_FORM_H
#define CJOSE_LANES_FORM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// What the kernels are made of. `BULLA_LANES` (openssl, portable, ifma) in the environment chooses one that this machine has;
/// otherwise it is the best.
typedef enum __attribute__((enum_extensibility(closed))) cjose_lanes_form : int32_t {
    /// None of ours: every answer is `open`.
    cjose_lanes_form_openssl = 0,
    /// 64-bit limbs, on any CPU with a 128-bit product.
    cjose_lanes_form_portable = 1,
    /// Eight lanes of AVX-512 IFMA.
    cjose_lanes_form_ifma = 2,
} cjose_lanes_form;

cjose_lanes_form cjose_lanes_form_current(void);
/// Uses `form` from now on; false where this machine lacks it. For tests: calls that have begun may still end in another form.
bool cjose_lanes_form_force(cjose_lanes_form form);

/// The answer for one signature.
enum {
    cjose_lanes_invalid = 0,
    cjose_lanes_valid = 1,
    /// The form in use does not cover it: OpenSSL is to be asked.
    cjose_lanes_open = 2,
};

#pragma clang assume_nonnull end
#endif
