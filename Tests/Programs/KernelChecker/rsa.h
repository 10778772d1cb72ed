#ifndef KERNEL_CHECKER_RSA_H
#define KERNEL_CHECKER_RSA_H
#include "checker.h"

#define RSA_MAX 512

/// A modulus and an exponent, in the forms of libcrypto and of the kernels.
typedef struct subject {
    BIGNUM *n, *e;
    BN_MONT_CTX *montgomery;
    cjose_kernel_rsa_key *key;
} subject;

/// The base for one lane, and libcrypto's result for it.
typedef struct lane {
    const subject *subject;
    uint8_t base[RSA_MAX];
    uint8_t power[RSA_MAX];
    uint8_t expected;
} lane;

subject subject_make(const uint8_t *n, size_t bytes, uint64_t e, BN_CTX *ctx);
void subject_end(subject *subject);
/// Fills in `power` and `expected`.
void lane_expect(lane *lane, size_t bytes, BN_CTX *ctx);
/// Runs `count` lanes in one call and compares.
void kernels_compare(dice *dice, const lane *lanes, size_t count, size_t bytes);
/// Whether the form in use has kernels for RSA.
bool rsa_is_covered(void);

/// A key pair with contexts of libcrypto, and the key of the kernels.
typedef struct pair {
    EVP_PKEY *pkey;
    EVP_PKEY_CTX *contexts[6];
    cjose_kernel_rsa_key *key;
    int bits;
} pair;

/// The number of keys of a set, of which the last has another exponent than the others.
#define KEYS 3

/// Creates a key pair. `is_quick` makes it of three or four primes, in a tenth of the time; a verifier sees no difference.
pair pair_make(int bits, unsigned e, bool is_quick);
void pair_end(pair *pair);
size_t pair_bytes(const pair *pair);
size_t digest_size(cjose_kernel_rsa_scheme scheme);
void pair_sign(const pair *pair, cjose_kernel_rsa_scheme scheme, const uint8_t *digest, uint8_t *signature);
/// Computes the private operation on `encoded`, which must be below the modulus.
void pair_sign_encoded(const pair *pair, const uint8_t *encoded, uint8_t *signature);
uint8_t pair_verify(
    const pair *pair, cjose_kernel_rsa_scheme scheme, const uint8_t *digest, const uint8_t *signature);

/// Returns the number of faults; 0 stands for none.
int rsa_faults(cjose_kernel_rsa_scheme scheme);
/// Creates a signature whose encoding has this fault.
void rsa_sign_fault(
    dice *dice, const pair *pair, cjose_kernel_rsa_scheme scheme, int fault, const uint8_t *digest, uint8_t *signature);

typedef struct signature {
    uint8_t digest[64];
    uint8_t bytes[RSA_MAX];
} signature;

/// Runs `count` lanes in one call and compares.
void signatures_compare(
    dice *dice, cjose_kernel_rsa_scheme scheme, const pair *const *pairs, const signature *lanes, size_t count);

void rsa_check_edges(dice *dice, int bits);
void rsa_check_encodings(dice *dice, const pair *pair);
void rsa_check_powers(dice *dice, int bits, size_t count);
void rsa_check_signatures(dice *dice, const pair pairs[KEYS], size_t count);
#endif
