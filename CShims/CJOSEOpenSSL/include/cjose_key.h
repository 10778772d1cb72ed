#ifndef CJOSE_KEY_H
#define CJOSE_KEY_H
#include "cjose_status.h"
#pragma clang assume_nonnull begin

/// A key of any of the kinds below with its ready contexts. Immutable to its users; any number of threads may use one.
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

/// Big-endian, unsigned.
typedef struct cjose_bytes {
    const void *_Nullable at;
    size_t count;
} cjose_bytes;

/// Every `_new`, `_generate`, `_import` gives a key in `out` that the caller owns and ends with `cjose_key_free`;
/// what they read is read during the call only.

/// `d` empty: a public key. `p`, `q`, `dp`, `dq`, `qi` all given or all empty; where empty with `d` given they are
/// recovered from n, e and d. Checks, beyond OpenSSL: n odd, 2048...8192 bits; e odd, 3...2^33; d < n; CRT values
/// consistent (p*q = n, dp = d mod p-1, dq = d mod q-1, qi*q = 1 mod p, e*d = 1 mod lcm(p-1, q-1)).
/// `key_too_small` for a modulus under 2048 bits, `key_invalid` for everything else that is wrong.
CJOSE_CHECKED cjose_status cjose_key_rsa_new(
    cjose_bytes n, cjose_bytes e, cjose_bytes d, cjose_bytes p, cjose_bytes q, cjose_bytes dp, cjose_bytes dq,
    cjose_bytes qi, cjose_key *_Nullable *_Nonnull out);
/// `x`, `y` and `d` exactly of the curve's field size (32, 48, 66 bytes); `d` empty: a public key. Checks that the
/// point is on the curve, coordinates are below the field's prime, 0 < d < n and d*G = (x, y).
CJOSE_CHECKED cjose_status cjose_key_ec_new(
    cjose_key_kind curve, cjose_bytes x, cjose_bytes y, cjose_bytes d, cjose_key *_Nullable *_Nonnull out);
/// Of raw bytes: 32 of Ed25519 (the seed) or X25519, for export as PEM and DER alone; 57 of Ed448, 56 of X448; of
/// ML-DSA the seed of 32 bytes, or a public key of 1 312, 1 952 or 2 592. A public key of Ed448 must be the canonical encoding
/// of a point that is not of small order (RFC 8032, 5.2.3). `unsupported` where the loaded libcrypto has no such keys: ML-DSA
/// is in 3.5 and later.
CJOSE_CHECKED cjose_status cjose_key_raw_new(
    cjose_key_kind kind, cjose_bytes raw, bool is_private, cjose_key *_Nullable *_Nonnull out);
/// The length of what `cjose_key_raw_new` takes; 0 for other kinds.
size_t cjose_key_raw_size(cjose_key_kind kind, bool is_private);
CJOSE_CHECKED cjose_status cjose_key_rsa_generate(int32_t bits, cjose_key *_Nullable *_Nonnull out);
CJOSE_CHECKED cjose_status cjose_key_ec_generate(cjose_key_kind curve, cjose_key *_Nullable *_Nonnull out);
void cjose_key_free(cjose_key *_Nullable key);

cjose_key_kind cjose_key_kind_of(const cjose_key *key);
bool cjose_key_is_private(const cjose_key *key);
/// Of the modulus or the field.
int32_t cjose_key_bits(const cjose_key *key);

typedef enum __attribute__((enum_extensibility(closed))) cjose_key_part : int32_t {
    cjose_key_part_rsa_n, cjose_key_part_rsa_e, cjose_key_part_rsa_d, cjose_key_part_rsa_p, cjose_key_part_rsa_q,
    cjose_key_part_rsa_dp, cjose_key_part_rsa_dq, cjose_key_part_rsa_qi,
    /// Of the curve's field size, with leading zeros.
    cjose_key_part_ec_x, cjose_key_part_ec_y, cjose_key_part_ec_d,
    /// What `cjose_key_raw_new` takes.
    cjose_key_part_raw_public, cjose_key_part_raw_private,
    /// x and y, one after the other: in the time of one.
    cjose_key_part_ec_point,
} cjose_key_part;
/// Writes the part to `out` (1 024 bytes always suffice) and its length to `out_len`.
CJOSE_CHECKED cjose_status cjose_key_part_get(
    const cjose_key *key, cjose_key_part part, void *out, size_t capacity, size_t *out_len);

typedef enum __attribute__((enum_extensibility(closed))) cjose_key_form : int32_t {
    cjose_key_form_spki, cjose_key_form_pkcs8, cjose_key_form_pkcs1_public, cjose_key_form_pkcs1_private,
    cjose_key_form_sec1,
} cjose_key_form;
/// DER of any of the forms, or of a PKCS#8 encrypted by PBES2 (then with `passphrase`), found by trying each; bytes
/// after its end are refused. The same checks as the `_new` calls. `needs_passphrase` where it is encrypted and
/// `passphrase` is null or wrong. More than ten million PBKDF2 rounds, or scrypt over 32 MiB, are `unsupported`.
CJOSE_CHECKED cjose_status cjose_key_der_import(
    cjose_bytes der, cjose_bytes passphrase, cjose_key *_Nullable *_Nonnull out);
/// The same of the one PEM block in `pem` (an `EC PARAMETERS` block before it is passed over), which must be what its
/// label says. Legacy PEM encryption (`Proc-Type`) is refused. `invalid` where there is not one such block.
CJOSE_CHECKED cjose_status cjose_key_pem_import(
    cjose_bytes pem, cjose_bytes passphrase, cjose_key *_Nullable *_Nonnull out);
/// Writes DER or PEM, of an ML-DSA key with the seed alone; `*out` is owned by the caller and ended with `cjose_buffer_free`, which wipes it.
CJOSE_CHECKED cjose_status cjose_key_export(
    const cjose_key *key, cjose_key_form form, bool pem, void *_Nullable *_Nonnull out, size_t *out_len);
void cjose_buffer_free(void *_Nullable buffer, size_t len);
/// A key of libcrypto's own (an `EVP_PKEY`), which is taken over, also where this fails. What gives its parts becomes an
/// ordinary key, with the checks of the `_new` calls; a private RSA or EC key that does not is used where it is, and only its
/// public half is checked.
CJOSE_CHECKED cjose_status cjose_key_take(void *pkey, bool is_private, cjose_key *_Nullable *_Nonnull out);
/// Whether its private parts can be had; true of a public key.
bool cjose_key_is_exportable(const cjose_key *key);
/// Overwrites memory in a way that the compiler keeps.
void cjose_cleanse(void *_Nullable p, size_t n);

#pragma clang assume_nonnull end
#endif
