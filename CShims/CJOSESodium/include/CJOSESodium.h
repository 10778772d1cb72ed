#ifndef CJOSE_SODIUM_H
#define CJOSE_SODIUM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Readies libsodium; false: it cannot be used. Any number of threads may call it, each before the calls below.
bool cjose_sodium_ready(void) __attribute__((warn_unused_result));

/// Memory with guard pages that is locked, kept out of core dumps and wiped at the end (libsodium's `sodium_malloc`).
/// Written once by the caller, then closed with `cjose_guarded_seal`, after which it can be read alone. Null: out of
/// memory.
void *_Nullable cjose_guarded_new(size_t n);
void cjose_guarded_seal(void *p);
void cjose_guarded_free(void *_Nullable p);

/// Ed25519. `secret` is libsodium's 64 bytes: seed || public key.
void cjose_ed25519_from_seed(const void *seed, void *secret, void *public_key);
/// 64 bytes to `out`.
bool cjose_ed25519_sign(const void *secret, const void *_Nullable in, size_t n, void *out)
    __attribute__((warn_unused_result));
/// False for S >= L, a public key or R of small order, non-canonical encodings, or another length than 64.
bool cjose_ed25519_verify(
    const void *public_key, const void *_Nullable in, size_t n, const void *_Nullable signature, size_t signature_len)
    __attribute__((warn_unused_result));
/// Whether it is the canonical encoding of a point of the prime-order subgroup other than the neutral element.
bool cjose_ed25519_key_valid(const void *public_key) __attribute__((warn_unused_result));

/// X25519: 32 bytes each. False where the result is all zero (RFC 7748, 6.1).
bool cjose_x25519(const void *scalar, const void *point, void *z) __attribute__((warn_unused_result));
void cjose_x25519_public(const void *scalar, void *public_key);
/// With a fresh key pair: its public key in `public_key`, the agreed value in `z`.
bool cjose_x25519_fresh(const void *point, void *public_key, void *z) __attribute__((warn_unused_result));

/// Base64url of key material, in a time that depends on the length alone. `out`: ceil(4n/3) bytes and one more.
void cjose_secret_base64url_encode(const void *_Nullable in, size_t n, void *out);
/// Writes 3n/4 (rounded down) bytes; false as `cjose_base64url_decode` is.
bool cjose_secret_base64url_decode(const void *_Nullable in, size_t n, void *out) __attribute__((warn_unused_result));
void cjose_sodium_random(void *out, size_t n);
/// The version of the libsodium that was loaded, such as 1.0.18; for ever, and never freed.
const char *cjose_sodium_version(void);

#pragma clang assume_nonnull end
#endif
