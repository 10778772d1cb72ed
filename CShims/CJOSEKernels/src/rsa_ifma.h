#ifndef CJOSE_KERNEL_RSA_IFMA_H
#define CJOSE_KERNEL_RSA_IFMA_H
#include "rsa.h"
#define PRODUCT_LIMBS_MAX RSA_LIMBS_MAX
#include "product.h"
#pragma clang assume_nonnull begin

typedef product_modulus rsa_modulus;

/// Compute almost-Montgomery products and squares: a*b/R modulo n, below 2n where a and b are (R > 4n). Limbs are below 2^52,
/// going in and coming out. `out` is none of the others.
void rsa_multiply(const lanes *a, const lanes *b, const rsa_modulus *modulus, lanes *out);
void rsa_square(const lanes *a, const rsa_modulus *modulus, lanes *out);

#pragma clang assume_nonnull end
#endif
