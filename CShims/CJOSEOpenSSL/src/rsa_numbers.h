#ifndef CJOSE_RSA_NUMBERS_H
#define CJOSE_RSA_NUMBERS_H
#include <openssl/bn.h>

#include "internal.h"

typedef struct cjose_rsa {
    BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qi;
} cjose_rsa;

/// Recovers p, q, dp, dq and qi from n, e and d in time bounded by the size of n. False where d is not the inverse of e modulo
/// p - 1 and q - 1 of two primes.
bool cjose_rsa_recover(cjose_rsa *rsa);
/// Whether the eight numbers of a private key have all their relations (RFC 8017, 3.2).
bool cjose_rsa_consistent(const cjose_rsa *rsa);
#endif
