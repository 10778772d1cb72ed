#ifndef CJOSE_KEY_H
#define CJOSE_KEY_H
#include "cjose_status.h"
#pragma clang assume_nonnull begin

struct evp_pkey_st;

/// A key of any of the kinds below with its ready contexts. It is immutable to its users; any number of threads may use one.
typedef struct cjose_key cjose_key;

typedef enum __attribute__((enum_extensibility(closed))) cjose_key_kind : int32_t {
    cjose_key_kind_other = 0,
    cjose_key_kind_rsa = 1,
    cjose_key_kind_p256 = 2,
    cjose_key_kind_p384 = 3,
    cjose_key_kind_p521 = 4,
    cjose_key_kind_ed25519 = 5,
    cjose_key_kind_x25519 = 6,
    cjose_key_kind_secp256k1 = 7,
    cjose_key_kind_ed448 = 8,
    cjose_key_kind_x448 = 9,
    cjose_key_kind_ml_dsa_44 = 10,
    cjose_key_kind_ml_dsa_65 = 11,
    cjose_key_kind_ml_dsa_87 = 12,
} cjose_key_kind;

/// A byte string; numbers are big-endian and unsigned.
typedef struct cjose_bytes {
    const void *_Nullable at;
    size_t count;
} cjose_bytes;

/// Every `_new`, `_generate` and `_import` returns a key in `out` that the caller owns and frees with `cjose_key_free`; their
/// arguments are read during the call only.

/// Creates an RSA key, a public one where `d` is empty. `p`, `q`, `dp`, `dq`, `qi` are all given or all empty; where they are
/// empty with `d` given, they are recovered from n, e and d. Checks, beyond those of OpenSSL: n odd, 2048...8192 bits; e odd,
/// 3...2^33; d < n; CRT values consistent (p*q = n, dp = d mod p-1, dq = d mod q-1, qi*q = 1 mod p, e*d = 1 mod lcm(p-1, q-1)).
/// `key_too_small` for a modulus under 2048 bits, `key_invalid` for all other faults.
CJOSE_CHECKED cjose_status cjose_key_rsa_new(
    cjose_bytes n, cjose_bytes e, cjose_bytes d, cjose_bytes p, cjose_bytes q, cjose_bytes dp, cjose_bytes dq,
    cjose_bytes qi, cjose_key *_Nullable *_Nonnull out);
/// Creates an EC key, a public one where `d` is empty. `x`, `y` and `d` are exactly of the curve's field size (32, 48, 66 bytes).
/// Checks that the point is on the curve, coordinates are below the field's prime, 0 < d < n and d*G = (x, y).
CJOSE_CHECKED cjose_status cjose_key_ec_new(
    cjose_key_kind curve, cjose_bytes x, cjose_bytes y, cjose_bytes d, cjose_key *_Nullable *_Nonnull out);
/// Creates a key from raw bytes: 32 of Ed25519 (the seed) or X25519, which are for export as PEM and DER only; 57 of Ed448, 56 of
/// X448; of ML-DSA the seed of 32 bytes, or a public key of 1 312, 1 952 or 2 592. A public key of Ed448 must be the canonical
/// encoding of a point that is not of small order (RFC 8032, 5.2.3). `unsupported` where the loaded libcrypto has no such keys:
/// ML-DSA needs 3.5.
CJOSE_CHECKED cjose_status cjose_key_raw_new(
    cjose_key_kind kind, cjose_bytes raw, bool is_private, cjose_key *_Nullable *_Nonnull out);
/// Returns the length that `cjose_key_raw_new` takes; 0 for other kinds.
size_t cjose_key_raw_size(cjose_key_kind kind, bool is_private);
CJOSE_CHECKED cjose_status cjose_key_rsa_generate(int32_t bits, cjose_key *_Nullable *_Nonnull out);
CJOSE_CHECKED cjose_status cjose_key_ec_generate(cjose_key_kind curve, cjose_key *_Nullable *_Nonnull out);
void cjose_key_free(cjose_key *_Nullable key);

cjose_key_kind cjose_key_kind_of(const cjose_key *key);
bool cjose_key_is_private(const cjose_key *key);
/// Returns the number of bits of the modulus or the field.
int32_t cjose_key_bits(const cjose_key *key);

typedef enum __attribute__((enum_extensibility(closed))) cjose_key_part : int32_t {
    cjose_key_part_rsa_n, cjose_key_part_rsa_e, cjose_key_part_rsa_d, cjose_key_part_rsa_p, cjose_key_part_rsa_q,
    cjose_key_part_rsa_dp, cjose_key_part_rsa_dq, cjose_key_part_rsa_qi,
    /// The coordinates and the scalar, of the curve's field size, with leading zeros.
    cjose_key_part_ec_x, cjose_key_part_ec_y, cjose_key_part_ec_d,
    /// The bytes that `cjose_key_raw_new` takes.
    cjose_key_part_raw_public, cjose_key_part_raw_private,
    /// The coordinates x and y, one after the other, in the time of one.
    cjose_key_part_ec_point,
} cjose_key_part;
/// Writes the part to `out` (1 024 bytes always suffice) and its length to `out_len`.
CJOSE_CHECKED cjose_status cjose_key_part_get(
    const cjose_key *key, cjose_key_part part, void *out, size_t capacity, size_t *out_len);

typedef enum __attribute__((enum_extensibility(closed))) cjose_key_form : int32_t {
    cjose_key_form_spki, cjose_key_form_pkcs8, cjose_key_form_pkcs1_public, cjose_key_form_pkcs1_private,
    cjose_key_form_sec1,
} cjose_key_form;
/// Imports DER of any of the forms, or of a PKCS#8 encrypted by PBES2 (then with `passphrase`), by trying each; bytes after its
/// end are rejected. The checks are those of the `_new` calls. `needs_passphrase` where it is encrypted and `passphrase` is null
/// or wrong. More than ten million PBKDF2 rounds, or scrypt over 32 MiB, are `unsupported`.
CJOSE_CHECKED cjose_status cjose_key_der_import(
    cjose_bytes der, cjose_bytes passphrase, cjose_key *_Nullable *_Nonnull out);
/// Imports the one PEM block in `pem`, with the checks of `cjose_key_der_import`. It must be what its label says; an `EC
/// PARAMETERS` block before it is skipped. Legacy PEM encryption (`Proc-Type`) is rejected. `invalid` where there is not exactly
/// one such block.
CJOSE_CHECKED cjose_status cjose_key_pem_import(
    cjose_bytes pem, cjose_bytes passphrase, cjose_key *_Nullable *_Nonnull out);
/// Writes DER or PEM, for an ML-DSA key with the seed only. The caller owns `*out` and frees it with `cjose_buffer_free`, which
/// wipes it.
CJOSE_CHECKED cjose_status cjose_key_export(
    const cjose_key *key, cjose_key_form form, bool pem, void *_Nullable *_Nonnull out, size_t *out_len);
void cjose_buffer_free(void *_Nullable buffer, size_t len);
/// Takes over a key of libcrypto (an `EVP_PKEY`), also where it fails. A key whose parts can be read becomes an ordinary key,
/// with the checks of the `_new` calls. A private RSA or EC key whose parts cannot be read is used through its provider, and only
/// its public half is checked.
CJOSE_CHECKED cjose_status cjose_key_take(void *pkey, bool is_private, cjose_key *_Nullable *_Nonnull out);
/// Returns the key of libcrypto, which belongs to `key`, for code that reads private RSA numbers. Null for public keys and for keys
/// whose private parts cannot be read.
struct evp_pkey_st *_Nullable cjose_key_private_numbers(const cjose_key *key);
/// Whether the private parts can be read; true for a public key.
bool cjose_key_is_exportable(const cjose_key *key);
/// Overwrites memory in a way that the compiler keeps.
void cjose_cleanse(void *_Nullable p, size_t n);

#pragma clang assume_nonnull end
#endif
