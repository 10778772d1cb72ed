#ifndef CJOSE_KERNEL_P256_H
#define CJOSE_KERNEL_P256_H
#include "kernel_form.h"

#pragma clang assume_nonnull begin

/// A public key of P-256 with the table of its multiples. It is never written again: any number of threads may use it.
typedef struct cjose_kernel_p256_key cjose_kernel_p256_key;

/// Computes the table, which takes about a millisecond. Null where the point is not on the curve or memory runs out. The caller
/// owns the key.
cjose_kernel_p256_key *_Nullable cjose_kernel_p256_key_new(const uint8_t x[_Nonnull 32], const uint8_t y[_Nonnull 32]);
void cjose_kernel_p256_key_free(cjose_kernel_p256_key *_Nullable key);
/// Returns the number of bytes of memory that a key takes.
size_t cjose_kernel_p256_key_bytes(const cjose_kernel_p256_key *key);

/// Verifies `count` signatures of ES256 (FIPS 186-5, 6.4.2): r and s, 32 bytes each, over digests of 32 bytes, each by the key
/// with the same index. A result is `cjose_kernel_invalid`, `_valid` or `_not_covered`. The last is the result where a sum of
/// points met the same point or its opposite, as with a digest of 0, which does not occur unless somebody constructs it. Every
/// value is public: nothing here is constant time.
void cjose_kernel_p256_verify(
    const cjose_kernel_p256_key *const _Nonnull *_Nonnull keys, const uint8_t *const _Nonnull *_Nonnull digests,
    const uint8_t *const _Nonnull *_Nonnull signatures, size_t count, uint8_t *results);

#pragma clang assume_nonnull end
#endif
