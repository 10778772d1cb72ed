#ifndef CJOSE_KERNEL_RSA_H
#define CJOSE_KERNEL_RSA_H
#include "kernel_form.h"
#pragma clang assume_nonnull begin

/// A public RSA key with the constants of its modulus. It is immutable: any number of threads may use one.
typedef struct cjose_kernel_rsa_key cjose_kernel_rsa_key;

/// The signature algorithms of RSA (RFC 7518, 3.3 and 3.5).
typedef enum __attribute__((enum_extensibility(closed))) cjose_kernel_rsa_scheme : int32_t {
    cjose_kernel_rsa_scheme_rs256 = 0, cjose_kernel_rsa_scheme_rs384, cjose_kernel_rsa_scheme_rs512,
    cjose_kernel_rsa_scheme_ps256, cjose_kernel_rsa_scheme_ps384, cjose_kernel_rsa_scheme_ps512,
} cjose_kernel_rsa_scheme;

/// Creates a key from a modulus and an exponent, big-endian, which are read during the call only. The caller frees it with
/// `cjose_kernel_rsa_key_free`. Null for a key that the kernels do not cover: they take odd moduli of exactly 2048, 3072 or 4096
/// bits and odd exponents of 3...2^33, on a CPU with AVX-512 IFMA.
cjose_kernel_rsa_key *_Nullable cjose_kernel_rsa_key_new(
    const uint8_t *n, size_t n_len, const uint8_t *e, size_t e_len);
void cjose_kernel_rsa_key_free(cjose_kernel_rsa_key *_Nullable key);
size_t cjose_kernel_rsa_key_bits(const cjose_kernel_rsa_key *key);
/// Returns the number of bytes of memory that a key takes.
size_t cjose_kernel_rsa_key_bytes(const cjose_kernel_rsa_key *key);

/// Writes `cjose_kernel_invalid`, `_valid` or `_not_covered` for each of `count` signatures to `results`. Digests are as long as
/// the scheme's hash, signatures as long as the modulus. Keys may differ, but all of a call have the size of the first: the
/// results of others are `not_covered`.
void cjose_kernel_rsa_verify(
    cjose_kernel_rsa_scheme scheme, const cjose_kernel_rsa_key *const _Nonnull *_Nonnull keys,
    const uint8_t *const _Nonnull *_Nonnull digests, const uint8_t *const _Nonnull *_Nonnull signatures, size_t count,
    uint8_t *results);

/// Computes the modular powers only (RFC 8017, 5.2.2). It writes x^e mod n, as long as the modulus, for each of `count` bases to
/// `powers`, one after the other, and to `results` `cjose_kernel_valid`, `cjose_kernel_invalid` where x is not below n, or
/// `cjose_kernel_not_covered`. The checker compares it with OpenSSL for moduli and bases of any value.
void cjose_kernel_rsa_power(
    const cjose_kernel_rsa_key *const _Nonnull *_Nonnull keys, const uint8_t *const _Nonnull *_Nonnull bases, size_t count,
    uint8_t *powers, uint8_t *results);

/// Computes one modular power, with the limbs of its numbers in the SIMD lanes, in a fifth of the time of eight powers by
/// `cjose_kernel_rsa_power`. It writes x^e mod n, as long as the modulus, to `power`, and returns `cjose_kernel_valid`,
/// `cjose_kernel_invalid` where x is not below n, or `cjose_kernel_not_covered`.
uint8_t cjose_kernel_rsa_power_single(const cjose_kernel_rsa_key *key, const uint8_t *base, uint8_t *power);

#pragma clang assume_nonnull end
#endif
