#ifndef CJOSE_KERNEL_RSA_H
#define CJOSE_KERNEL_RSA_H
#include "kernel_form.h"
#pragma clang assume_nonnull begin

/// A public RSA key with the constants of its modulus. Immutable: any number of threads may use one.
typedef struct cjose_kernel_rsa_key cjose_kernel_rsa_key;

/// RFC 7518, 3.3 and 3.5.
typedef enum __attribute__((enum_extensibility(closed))) cjose_kernel_rsa_scheme : int32_t {
    cjose_kernel_rsa_scheme_rs256 = 0, cjose_kernel_rsa_scheme_rs384, cjose_kernel_rsa_scheme_rs512,
    cjose_kernel_rsa_scheme_ps256, cjose_kernel_rsa_scheme_ps384, cjose_kernel_rsa_scheme_ps512,
} cjose_kernel_rsa_scheme;

/// Of a modulus and an exponent, big-endian, which are read during the call only. The caller ends the key with
/// `cjose_kernel_rsa_key_free`. Null for what the kernels do not cover: they take odd moduli of exactly 2048, 3072 or 4096 bits
/// and odd exponents of 3...2^33, on a CPU that has AVX-512 IFMA.
cjose_kernel_rsa_key *_Nullable cjose_kernel_rsa_key_new(
    const uint8_t *n, size_t n_len, const uint8_t *e, size_t e_len);
void cjose_kernel_rsa_key_free(cjose_kernel_rsa_key *_Nullable key);
size_t cjose_kernel_rsa_key_bits(const cjose_kernel_rsa_key *key);
/// What a key takes of memory.
size_t cjose_kernel_rsa_key_bytes(const cjose_kernel_rsa_key *key);

/// Writes `cjose_kernel_invalid`, `_valid` or `_open` for each of `count` signatures to `results`. Digests are as long as the
/// scheme's hash, signatures as long as the modulus; keys may differ from one another but not in size: what is not of the
/// first one's size is `open`.
void cjose_kernel_rsa_verify(
    cjose_kernel_rsa_scheme scheme, const cjose_kernel_rsa_key *const _Nonnull *_Nonnull keys,
    const uint8_t *const _Nonnull *_Nonnull digests, const uint8_t *const _Nonnull *_Nonnull signatures, size_t count,
    uint8_t *results);

/// The power alone (RFC 8017, 5.2.2): writes x^e mod n, as long as the modulus, for each of `count` bases to `powers`, one after
/// the other, and `cjose_kernel_valid` to `results`, or `cjose_kernel_invalid` where x is not below n, or `cjose_kernel_open`.
/// What the checker compares with OpenSSL for moduli and bases of any value.
void cjose_kernel_rsa_power(
    const cjose_kernel_rsa_key *const _Nonnull *_Nonnull keys, const uint8_t *const _Nonnull *_Nonnull bases, size_t count,
    uint8_t *powers, uint8_t *results);

#pragma clang assume_nonnull end
#endif
