#ifndef CJOSE_KERNEL_RSA_IFMA_H
#define CJOSE_KERNEL_RSA_IFMA_H
#include <immintrin.h>

#include "rsa.h"
#pragma clang assume_nonnull begin

#define IFMA __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512ifma")))
#define LIMB (((long long)1 << 52) - 1)

/// One limb of each of eight numbers.
typedef __m512i lanes;

typedef struct rsa_modulus {
    const lanes *n;
    lanes inverse;
    size_t blocks;
} rsa_modulus;

/// Computes almost-Montgomery products: a*b/R modulo n, below 2n where a and b are (R > 4n). Limbs are below 2^52, going in and
/// coming out. `out` is none of the others.
void rsa_multiply(const lanes *a, const lanes *b, const rsa_modulus *modulus, lanes *out);
void rsa_square(const lanes *a, const rsa_modulus *modulus, lanes *out);

#pragma clang assume_nonnull end
#endif
