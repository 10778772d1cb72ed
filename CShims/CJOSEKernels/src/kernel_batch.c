#if defined(CJOSE_ACCELERATED)
#include "kernel_batch.h"

/// The number of signatures for which a kernel is called at once: a multiple of the eight that it verifies at a time.
#define CHUNK 64

static size_t chunk(size_t start, size_t count) { return count - start < CHUNK ? count - start : CHUNK; }

void cjose_kernel_rsa_verify_batch(
    cjose_kernel_rsa_scheme scheme, const cjose_kernel_rsa_key *const *keys, const uint8_t *digests, size_t digest_len,
    const uint8_t *signatures, size_t signature_len, size_t count, uint8_t *results) {
    const cjose_kernel_rsa_key *key_at[CHUNK];
    const uint8_t *digest_at[CHUNK], *signature_at[CHUNK];
    for (size_t start = 0; start < count; start += CHUNK) {
        const size_t part = chunk(start, count);
        for (size_t i = 0; i < part; i++) {
            key_at[i] = keys[start + i];
            digest_at[i] = digests + (start + i) * digest_len;
            signature_at[i] = signatures + (start + i) * signature_len;
        }
        cjose_kernel_rsa_verify(scheme, key_at, digest_at, signature_at, part, results + start);
    }
}

void cjose_kernel_p256_verify_batch(
    const cjose_kernel_p256_key *const *keys, const uint8_t *digests, const uint8_t *signatures, size_t count,
    uint8_t *results) {
    const cjose_kernel_p256_key *key_at[CHUNK];
    const uint8_t *digest_at[CHUNK], *signature_at[CHUNK];
    for (size_t start = 0; start < count; start += CHUNK) {
        const size_t part = chunk(start, count);
        for (size_t i = 0; i < part; i++) {
            key_at[i] = keys[start + i];
            digest_at[i] = digests + (start + i) * 32;
            signature_at[i] = signatures + (start + i) * 64;
        }
        cjose_kernel_p256_verify(key_at, digest_at, signature_at, part, results + start);
    }
}

void cjose_kernel_ed25519_verify_batch(
    const uint8_t *public_keys, const cjose_kernel_ed25519_key *const *keys, const uint8_t *texts, const size_t *ends,
    const uint8_t *signatures, size_t count, uint8_t *results) {
    cjose_kernel_ed25519_job jobs[CHUNK];
    size_t from = 0;
    for (size_t start = 0; start < count; start += CHUNK) {
        const size_t part = chunk(start, count);
        for (size_t i = 0; i < part; i++) {
            const size_t at = start + i;
            jobs[i] = (cjose_kernel_ed25519_job){
                .public_key = public_keys + 32 * at, .key = keys[at], .text = texts + from, .length = ends[at] - from,
                .signature = signatures + 64 * at};
            from = ends[at];
        }
        cjose_kernel_ed25519_verify(jobs, part, results + start);
    }
}
#endif
