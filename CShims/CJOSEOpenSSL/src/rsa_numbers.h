#ifndef CJOSE_RSA_NUMBERS_H
#define CJOSE_RSA_NUMBERS_H
#include <openssl/bn.h>

#include "internal.h"

typedef struct cjose_rsa {
    BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qi;
} cjose_rsa;

/// p, q, dp, dq, qi from n, e, d. False: d is not the inverse of e.
bool cjose_rsa_recover(cjose_rsa *rsa);
/// Every relation that the eight numbers of a private key have with each other (RFC 8017, 3.2).
bool cjose_rsa_consistent(const cjose_rsa *rsa);
#endif
