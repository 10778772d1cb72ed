#ifndef PRIVATE_CHECKER_H
#define PRIVATE_CHECKER_H
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <string.h>

#include "../../../CShims/CJOSEPrivateKernels/src/private_internal.h"
#include "../KernelChecker/dice.h"
#include "CJOSEKernels.h"

enum { SUBJECTS = 4, CASES_MAX = 24, SIZE_MAX_BYTES = 512 };
/// The largest keys with which checks run that do not depend on random cases. AddressSanitizer takes several times as long.
#if __has_feature(address_sanitizer)
enum { SWEPT_BITS = 2048 };
#else
enum { SWEPT_BITS = 4096 };
#endif

/// A private key in the forms of OpenSSL, of the private kernels and, its public half, of the public kernels.
typedef struct subject {
    int bits;
    EVP_PKEY *pkey;
    cjose_private_rsa_key *key;
    cjose_kernel_rsa_key *public_key;
    BIGNUM *n, *e, *p, *q;
} subject;
subject subject_make(int bits, uint64_t e);
subject subject_adopt(EVP_PKEY *pkey);
void subject_end(subject *subject);
/// Fails, after printing the key, which a seed does not reproduce.
_Noreturn void subject_fail(const subject *subject, const uint8_t *input, const char *what);
/// Computes a power by libcrypto; false where the input is not below the modulus.
bool subject_power(const subject *subject, const uint8_t *input, uint8_t *output);
/// Encrypts with the public key, without padding.
void subject_encrypt(const subject *subject, const uint8_t *text, uint8_t *encrypted);

/// Compare the kernels with libcrypto: edges, lanes and keys; `count` random cases; changed numbers; padding; processes. Without
/// `is_whole` there are fewer keys and rounds.
void check_edges(dice *dice, const subject *subjects, bool is_whole);
void check_keys(void);
void check_random(dice *dice, const subject *subjects, size_t count);
void check_faults(dice *dice, const subject *subjects, size_t count);
void check_oaep(dice *dice, const subject *subjects, bool is_whole);
/// Compares signatures with libcrypto: RSASSA-PKCS1-v1_5 by equality, RSASSA-PSS by verification. Where `has_faults` and
/// the build has faults, one is injected into each call.
void check_signatures(dice *dice, const subject *subjects, bool is_whole, bool has_faults);
/// Plans a fault in one lane of the next pass. Returns false in a build without faults.
bool plan_fault(dice *dice);
/// Checks that each operation is blinded by random numbers of its own, in a build with faults.
void check_blinding(dice *dice, const subject *subject);
/// Checks that a call leaves no secret on the stack and in registers.
void check_traces(dice *dice, const subject *subject);
void check_processes(const subject *subjects, bool is_whole);
/// Reads vectors from standard input, as wycheproof.py prints them.
void check_wycheproof(void);
void measure_rates(void);
/// Tests whether the time of a decryption depends on the padding. Returns false where it does.
bool measure_timing(dice *dice, size_t samples);
#endif
