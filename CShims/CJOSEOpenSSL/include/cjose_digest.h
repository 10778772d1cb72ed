#ifndef CJOSE_DIGEST_H
#define CJOSE_DIGEST_H
#include "cjose_status.h"
#pragma clang assume_nonnull begin

typedef enum __attribute__((enum_extensibility(closed))) cjose_hash : int32_t {
    cjose_hash_sha1 = 0, cjose_hash_sha256 = 1, cjose_hash_sha384 = 2, cjose_hash_sha512 = 3,
} cjose_hash;

/// Writes 20, 32, 48 or 64 bytes to `out`.
CJOSE_CHECKED cjose_status cjose_digest(cjose_hash hash, const void *_Nullable in, size_t n, void *out);
CJOSE_CHECKED cjose_status cjose_random(void *out, size_t n);
/// Returns the version of the loaded libcrypto, such as 3.0.22; the text is static.
const char *cjose_openssl_version(void);
/// Derives a key by the Concat KDF with SHA-256 (RFC 7518, 4.6.2); `info` is AlgorithmID || PartyUInfo || PartyVInfo ||
/// SuppPubInfo.
CJOSE_CHECKED cjose_status cjose_concat_kdf(
    const void *z, size_t z_len, const void *_Nullable info, size_t info_len, void *out, size_t out_len);
/// Derives a key by PBKDF2 with HMAC of `hash` (RFC 8018, 5.2). The time is proportional to `iterations`, which the caller
/// bounds.
CJOSE_CHECKED cjose_status cjose_pbkdf2(
    cjose_hash hash, const void *password, size_t password_len, const void *salt, size_t salt_len,
    uint32_t iterations, void *out, size_t n);

/// An HMAC key with ready states. Any number of threads may use one.
typedef struct cjose_mac cjose_mac;
/// Creates a key. The caller frees it with `cjose_mac_free`, and keeps the bytes of `key` at their address until then: states are
/// made from them when another thread needs one. `key_too_small` for an empty key.
CJOSE_CHECKED cjose_status cjose_mac_new(
    cjose_hash hash, const void *_Nullable key, size_t key_len, cjose_mac *_Nullable *_Nonnull out);
void cjose_mac_free(cjose_mac *_Nullable mac);
/// Writes 32, 48 or 64 bytes to `out`.
CJOSE_CHECKED cjose_status cjose_mac_sign(const cjose_mac *mac, const void *_Nullable in, size_t n, void *out);
/// Compares in constant time. `invalid` unless `tag` is the complete MAC.
CJOSE_CHECKED cjose_status cjose_mac_verify(
    const cjose_mac *mac, const void *_Nullable in, size_t n, const void *_Nullable tag, size_t tag_len);

#pragma clang assume_nonnull end
#endif
