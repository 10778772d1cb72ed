#ifndef CJOSE_KERNEL_ED25519_H
#define CJOSE_KERNEL_ED25519_H
#include "kernel_form.h"
#pragma clang assume_nonnull begin

/// A public key of Ed25519 with a table of its multiples. It is immutable: any number of threads may use one.
typedef struct cjose_kernel_ed25519_key cjose_kernel_ed25519_key;

/// Computes the table of a key that verifies much. Null for a key that libsodium rejects (a non-canonical encoding, a point of small
/// order, no point), without memory, and on a CPU without AVX-512 IFMA. The caller owns the key.
cjose_kernel_ed25519_key *_Nullable cjose_kernel_ed25519_key_new(const uint8_t public_key[_Nonnull 32]);
void cjose_kernel_ed25519_key_free(cjose_kernel_ed25519_key *_Nullable key);
/// Returns the number of bytes of memory that a key takes.
size_t cjose_kernel_ed25519_key_bytes(const cjose_kernel_ed25519_key *key);

/// A signature of 64 bytes over a text, and the public key of 32 bytes. `key` is its table, where it has one.
typedef struct cjose_kernel_ed25519_job {
    const uint8_t *public_key;
    const cjose_kernel_ed25519_key *_Nullable key;
    const uint8_t *text;
    size_t length;
    const uint8_t *signature;
} cjose_kernel_ed25519_job;

/// Verifies `count` signatures (RFC 8032, 5.1.7), with the result of libsodium for each: S below L, no key or R of small order or
/// with a non-canonical encoding, and R = SB - kA without the cofactor. A result is `cjose_kernel_invalid`, `_valid` or
/// `_not_covered`. Every value is public: nothing here is constant time.
void cjose_kernel_ed25519_verify(const cjose_kernel_ed25519_job *jobs, size_t count, uint8_t *results);

#pragma clang assume_nonnull end
#endif
