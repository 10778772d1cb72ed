#include <openssl/rsa.h>

#include "internal.h"

/// Prepares a context for the operation without padding. libcrypto's own removal of this padding reveals what it found before
/// version 3.2, and from then on replaces an invalid text by bytes of its own, of a length of its own. The number without padding
/// is the same in all versions.
static bool ready(cjose_job *job, const cjose_key *key, int work) {
    (void)key, (void)work;
    return EVP_PKEY_decrypt_init(job->ctx) == 1 && EVP_PKEY_CTX_set_rsa_padding(job->ctx, RSA_NO_PADDING) == 1;
}

/// Reads 0x00 || 0x02 || at least eight bytes that are not zero || 0x00 || text. The text's length is known, so every byte has
/// its position, and each is read whatever the others are.
static void take(const uint8_t *block, size_t size, uint8_t *out, size_t n) {
    size_t separator = size - n - 1;
    uint32_t wrong = (uint32_t)block[0] | (block[1] ^ 2u) | block[separator];
    for (size_t i = 2; i < separator; i++) wrong |= cjose_is_zero(block[i]);
    uint8_t mask = (uint8_t)(0u - cjose_is_zero(wrong));
    for (size_t i = 0; i < n; i++) out[i] ^= mask & (out[i] ^ block[separator + 1 + i]);
}

cjose_status cjose_rsa15_decrypt(const cjose_key *key, const void *in, size_t in_len, void *out, size_t n) {
    if (key->kind != cjose_key_kind_rsa || !key->is_private) return cjose_status_key_invalid;
    size_t size = cjose_modulus_size(key);
    if (n + 11 > size) return cjose_status_invalid;
    // The sender knows the length of the ciphertext, and whether its number is below the modulus: neither needs hiding.
    if (in_len != size) return cjose_status_ok;
    cjose_job *job = cjose_job_take(key, cjose_work_rsa15_decrypt, ready);
    if (job == NULL) return cjose_failed(cjose_status_backend);
    uint8_t block[1024] = {0};
    size_t made = sizeof block;
    bool ok = EVP_PKEY_decrypt(job->ctx, block, &made, in, in_len) == 1 && made == size;
    cjose_job_give(key, cjose_work_rsa15_decrypt, job);
    if (ok) take(block, size, out, n);
    OPENSSL_cleanse(block, sizeof block);
    return ok ? cjose_status_ok : cjose_failed(cjose_status_ok);
}
