#ifndef CJOSE_SIGN_H
#define CJOSE_SIGN_H
#include "cjose_key.h"
#pragma clang assume_nonnull begin

typedef enum __attribute__((enum_extensibility(closed))) cjose_signature : int32_t {
    cjose_signature_rs256 = 0, cjose_signature_rs384, cjose_signature_rs512,
    cjose_signature_ps256, cjose_signature_ps384, cjose_signature_ps512,
    cjose_signature_es256, cjose_signature_es384, cjose_signature_es512,
    /// ECDSA on secp256k1 (RFC 8812, 3.2).
    cjose_signature_es256k,
    cjose_signature_ed448,
    cjose_signature_ml_dsa_44, cjose_signature_ml_dsa_65, cjose_signature_ml_dsa_87,
} cjose_signature;

/// Hashes and verifies. ECDSA signatures are r || s (RFC 7518, 3.4). `invalid` for every signature that is not valid, whatever
/// its length; `key_invalid` where the key's kind or curve does not fit.
CJOSE_CHECKED cjose_status cjose_verify(
    const cjose_key *key, cjose_signature algorithm, const void *_Nullable in, size_t n,
    const void *_Nullable signature, size_t signature_len);
/// Verifies RSASSA-PSS with a salt of `salt_len` bytes, to explain a signature that `cjose_verify` rejects. `key_invalid` for other
/// algorithms and keys.
CJOSE_CHECKED cjose_status cjose_verify_salt(
    const cjose_key *key, cjose_signature algorithm, size_t salt_len, const void *_Nullable in, size_t n,
    const void *_Nullable signature, size_t signature_len);
/// Writes the signature (at most 4 627 bytes) and its length.
CJOSE_CHECKED cjose_status cjose_sign(
    const cjose_key *key, cjose_signature algorithm, const void *_Nullable in, size_t n, void *out, size_t capacity,
    size_t *out_len);

/// Writes a DER ECDSA signature as r || s, `half` bytes each, to `out`. `invalid` for everything but the one encoding of numbers
/// that fit.
CJOSE_CHECKED cjose_status cjose_ecdsa_joined(const void *_Nullable der, size_t der_len, size_t half, void *out);

/// Whether the loaded libcrypto has the algorithm, looked up by name at run time.
bool cjose_signature_available(cjose_signature algorithm);

#pragma clang assume_nonnull end
#endif
