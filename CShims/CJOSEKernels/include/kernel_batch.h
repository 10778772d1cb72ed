#ifndef CJOSE_KERNEL_BATCH_H
#define CJOSE_KERNEL_BATCH_H
#include "kernel_ed25519.h"
#include "kernel_p256.h"
#include "kernel_rsa.h"
#pragma clang assume_nonnull begin

// One call for all signatures of a group of keys. What the signatures have in common is in one piece of memory, one after
// the other. The results are those of the kernel of the group, which is called for up to 64 signatures at a time.

/// Verifies `count` signatures of `signature_len` bytes over digests of `digest_len` bytes, as `cjose_kernel_rsa_verify`
/// does.
void cjose_kernel_rsa_verify_batch(
    cjose_kernel_rsa_scheme scheme, const cjose_kernel_rsa_key *const _Nonnull *_Nonnull keys, const uint8_t *digests,
    size_t digest_len, const uint8_t *signatures, size_t signature_len, size_t count, uint8_t *results);

/// Verifies `count` signatures of 64 bytes over digests of 32 bytes, as `cjose_kernel_p256_verify` does.
void cjose_kernel_p256_verify_batch(
    const cjose_kernel_p256_key *const _Nonnull *_Nonnull keys, const uint8_t *digests, const uint8_t *signatures,
    size_t count, uint8_t *results);

/// Verifies `count` signatures of 64 bytes by public keys of 32 bytes, as `cjose_kernel_ed25519_verify` does. `ends` are
/// the ends of the signed texts in `texts`, in ascending order; `keys` are the tables of the keys, where they have any.
void cjose_kernel_ed25519_verify_batch(
    const uint8_t *public_keys, const cjose_kernel_ed25519_key *const _Nullable *_Nonnull keys, const uint8_t *texts,
    const size_t *ends, const uint8_t *signatures, size_t count, uint8_t *results);

#pragma clang assume_nonnull end
#endif
