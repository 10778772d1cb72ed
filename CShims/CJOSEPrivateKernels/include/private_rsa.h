#ifndef CJOSE_PRIVATE_RSA_H
#define CJOSE_PRIVATE_RSA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

struct evp_pkey_st;

/// A private RSA key with the constants of its primes. Any number of threads may use one.
typedef struct cjose_private_rsa_key cjose_private_rsa_key;

/// The hashes of RSA-OAEP in JWE (RFC 7518, 4.3).
typedef enum __attribute__((enum_extensibility(closed))) cjose_private_oaep_hash : int32_t {
    cjose_private_oaep_sha1 = 0, cjose_private_oaep_sha256, cjose_private_oaep_sha384, cjose_private_oaep_sha512,
} cjose_private_oaep_hash;

/// The result for one token.
enum {
    /// The input is not below the modulus, or the padding is wrong.
    cjose_private_invalid = 0,
    cjose_private_valid = 1,
    /// Neither the kernels nor libcrypto computed a result: memory or randomness was missing.
    cjose_private_failed = 2,
};

/// Returns whether this machine has the kernels: x86-64 with AVX-512 IFMA.
bool cjose_private_kernels_present(void);

/// Creates a key, which retains `pkey`. The caller frees it with `cjose_private_rsa_key_free`, which wipes it. Null for a key that
/// the kernels do not cover: they take moduli of 2048, 3072 or 4096 bits with two primes of half of that each, the parameters of
/// the Chinese remainder theorem, and odd exponents of 3...2^33, on a CPU with AVX-512 IFMA.
cjose_private_rsa_key *_Nullable cjose_private_rsa_key_new(struct evp_pkey_st *pkey);
void cjose_private_rsa_key_free(cjose_private_rsa_key *_Nullable key);
size_t cjose_private_rsa_key_bits(const cjose_private_rsa_key *key);

/// Computes x^d mod n (RFC 8017, 5.1.2 and 5.2.1) for each of `count` inputs, which are as long as the modulus. Keys may differ,
/// but all of a call have one size; otherwise each result is `cjose_private_failed`, and nothing is computed. Outputs are as long as the
/// modulus; each has been verified with the public exponent. Four inputs take as long as one.
void cjose_private_rsa_power(
    cjose_private_rsa_key *const _Nonnull *_Nonnull keys, const uint8_t *const _Nonnull *_Nonnull inputs, size_t count,
    uint8_t *const _Nonnull *_Nonnull outputs, uint8_t *results);

/// Decrypts with RSA-OAEP, MGF1 of the same hash and an empty label (RFC 8017, 7.1.2), for each of `count` inputs, which are as
/// long as the modulus. All keys have one size; otherwise each result is `cjose_private_failed`, and nothing is computed. Each text must be `n` bytes long; one that is not leaves its output unchanged. The
/// result is as secret as the text until the caller has decided on it.
void cjose_private_oaep_decrypt(
    cjose_private_oaep_hash hash, cjose_private_rsa_key *const _Nonnull *_Nonnull keys,
    const uint8_t *const _Nonnull *_Nonnull inputs, size_t count, uint8_t *const _Nonnull *_Nonnull outputs, size_t n,
    uint8_t *results);

/// The signature algorithms of RSA in JWS (RFC 7518, 3.3 and 3.5).
typedef enum __attribute__((enum_extensibility(closed))) cjose_private_signature : int32_t {
    cjose_private_rs256 = 0, cjose_private_rs384, cjose_private_rs512,
    cjose_private_ps256, cjose_private_ps384, cjose_private_ps512,
} cjose_private_signature;

/// Signs each of `count` digests: RSASSA-PKCS1-v1_5, or RSASSA-PSS with MGF1 of the same hash and a salt as long as the digest (RFC
/// 8017, 8.2.1 and 8.1.1). All keys have one size; otherwise each result is `cjose_private_failed`. Outputs are as long as the modulus. A result is `cjose_private_valid` or `cjose_private_failed`.
void cjose_private_rsa_sign(
    cjose_private_signature algorithm, cjose_private_rsa_key *const _Nonnull *_Nonnull keys,
    const uint8_t *const _Nonnull *_Nonnull digests, size_t count, uint8_t *const _Nonnull *_Nonnull outputs, uint8_t *results);

/// Returns the number of results of this process that differed under the public exponent, and that libcrypto computed instead.
uint64_t cjose_private_fault_count(void);

#pragma clang assume_nonnull end
#endif
