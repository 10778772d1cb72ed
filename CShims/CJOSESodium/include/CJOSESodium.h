#ifndef CJOSE_SODIUM_H
#define CJOSE_SODIUM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Initializes libsodium; false where it cannot be used. Any number of threads may call it, each before the calls below.
bool cjose_sodium_ready(void) __attribute__((warn_unused_result));

/// Allocates memory with guard pages that is locked, excluded from core dumps and wiped at the end (libsodium's `sodium_malloc`).
/// The caller writes it once, and then calls `cjose_guarded_seal`, after which it can only be read. Null where memory runs out.
void *_Nullable cjose_guarded_new(size_t n);
void cjose_guarded_seal(void *p);
void cjose_guarded_free(void *_Nullable p);

/// Computes an Ed25519 key. `secret` is libsodium's 64 bytes: seed || public key.
void cjose_ed25519_from_seed(const void *seed, void *secret, void *public_key);
/// Writes a signature of 64 bytes to `out`.
bool cjose_ed25519_sign(const void *secret, const void *_Nullable in, size_t n, void *out)
    __attribute__((warn_unused_result));
/// Verifies a signature. False also for S >= L, a public key or R of small order, non-canonical encodings, and another length
/// than 64.
bool cjose_ed25519_verify(
    const void *public_key, const void *_Nullable in, size_t n, const void *_Nullable signature, size_t signature_len)
    __attribute__((warn_unused_result));
/// Whether the bytes are the canonical encoding of a point of the prime-order subgroup other than the neutral element.
bool cjose_ed25519_key_valid(const void *public_key) __attribute__((warn_unused_result));

/// Computes X25519 of 32 bytes each. False where the result is all zero (RFC 7748, 6.1).
bool cjose_x25519(const void *scalar, const void *point, void *z) __attribute__((warn_unused_result));
void cjose_x25519_public(const void *scalar, void *public_key);
/// Generates a key pair, and writes its public key to `public_key` and the agreed value to `z`.
bool cjose_x25519_fresh(const void *point, void *public_key, void *z) __attribute__((warn_unused_result));

/// Encodes key material as base64url, in a time that depends on the length only. `out` has ceil(4n/3) bytes and one more.
void cjose_secret_base64url_encode(const void *_Nullable in, size_t n, void *out);
/// Writes 3n/4 (rounded down) bytes; false for the same texts as `cjose_base64url_decode`.
bool cjose_secret_base64url_decode(const void *_Nullable in, size_t n, void *out) __attribute__((warn_unused_result));
/// Returns the version of the loaded libsodium, such as 1.0.18; the text is static.
const char *cjose_sodium_version(void);

#pragma clang assume_nonnull end
#endif
