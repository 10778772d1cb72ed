#ifndef KERNEL_CHECKER_P256_H
#define KERNEL_CHECKER_P256_H
// The deprecated calls are those that take r, s and scalars as they are.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <stdio.h>
#include <string.h>

#include "../../../CShims/CJOSEKernels/src/p256_internal.h"
#include "checker.h"

void p256_check_arithmetic(dice *dice, size_t count);
void p256_check_lanes(dice *dice, size_t count);
/// Compares tables of 40 points with libcrypto; without `whole` those of 8, and fewer of their entries.
void p256_check_tables(dice *dice, bool whole);
/// Checks edge cases; without `whole` fewer of the keys, sizes and windows.
void p256_check_edges(dice *dice, bool whole);
void p256_check_sums(dice *dice, bool whole);
void p256_check_random(dice *dice, size_t count);

/// Writes a number of 256 bits that provokes carries; the second function, one of 1..<n.
void p256_any(dice *dice, BIGNUM *out);
void p256_scalar(dice *dice, BIGNUM *out);

/// The curve, its order and its prime, and a context for intermediate numbers.
typedef struct p256_curve {
    EC_GROUP *group;
    BN_CTX *ctx;
    BIGNUM *n, *p;
} p256_curve;
const p256_curve *p256_curve_get(void);
/// A key in the forms of OpenSSL and of the kernels.
typedef struct p256_pair {
    EC_KEY *openssl;
    cjose_kernel_p256_key *lanes;
} p256_pair;
p256_pair p256_pair_of_point(const EC_POINT *point);
p256_pair p256_pair_of_scalar(const BIGNUM *d);
void p256_pair_end(p256_pair *pair);

typedef struct p256_case {
    const p256_pair *key;
    uint8_t digest[32], signature[64];
} p256_case;
/// Creates a case from r and s below 2^256 as they are.
void p256_case_set(p256_case *out, const p256_pair *key, const BIGNUM *z, const BIGNUM *r, const BIGNUM *s);
/// Creates the signature that is valid with these u1 and u2, neither a multiple of n; where u1 G + u2 Q is infinity, one that
/// would be valid if infinity had an x of 1.
void p256_case_of_scalars(p256_case *out, const p256_pair *key, const BIGNUM *u1, const BIGNUM *u2);
bool p256_openssl_verifies(const p256_case *one);

typedef enum p256_opens {
    /// Every case has a result, except those where the digest, and with it u1, is 0 modulo n.
    p256_opens_never,
    /// The cases are exceptional: a result must be right, or `not_covered`.
    p256_opens_perhaps,
} p256_opens;
/// The counts of cases. Results of `not_covered` are counted separately where the digest, and with it u1, is 0 modulo n.
typedef struct p256_tally {
    size_t cases, valid, open, zero;
} p256_tally;
/// Compares the results of each form with OpenSSL's, for all the cases in one call. The forms are all that the machine has, or
/// the one of `BULLA_KERNELS`.
void p256_expect(
    dice *dice, const p256_case *cases, size_t count, p256_opens opens, const char *what, p256_tally *tally);
void p256_report(const char *part, const p256_tally *tally);
#endif
