#include <openssl/rsa.h>

#include "internal.h"

static bool ready(cjose_job *job, const cjose_key *key, int work) {
    (void)key;
    bool decrypting = work >= cjose_work_oaep_decrypt;
    const EVP_MD *md = cjose_library_get()->md[work - (decrypting ? cjose_work_oaep_decrypt : cjose_work_oaep_encrypt)];
    if (md == NULL) return false;
    if (decrypting ? EVP_PKEY_decrypt_init(job->ctx) != 1 : EVP_PKEY_encrypt_init(job->ctx) != 1) return false;
    return EVP_PKEY_CTX_set_rsa_padding(job->ctx, RSA_PKCS1_OAEP_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_oaep_md(job->ctx, md) == 1 && EVP_PKEY_CTX_set_rsa_mgf1_md(job->ctx, md) == 1;
}

cjose_status cjose_oaep_encrypt(
    const cjose_key *key, cjose_hash hash, const void *in, size_t n, void *out, size_t capacity, size_t *out_len) {
    if (key->kind != cjose_key_kind_rsa) return cjose_status_key_invalid;
    size_t size = cjose_modulus_size(key);
    // RFC 8017, 7.1.1, step 1b.
    if (cjose_too_long(n) || capacity < size || n + 2 * cjose_hash_size(hash) + 2 > size) return cjose_status_invalid;
    int work = cjose_work_oaep_encrypt + (int)hash;
    cjose_job *job = cjose_job_take(key, work, ready);
    if (job == NULL) return cjose_failed(cjose_status_backend);
    size_t made = capacity;
    if (EVP_PKEY_encrypt(job->ctx, out, &made, n != 0 ? in : "", n) != 1 || made != size) {
        cjose_job_free(job);
        return cjose_failed(cjose_status_backend);
    }
    cjose_job_give(key, work, job);
    *out_len = size;
    return cjose_status_ok;
}

cjose_status cjose_oaep_decrypt(
    const cjose_key *key, cjose_hash hash, const void *in, size_t in_len, void *out, size_t n) {
    if (key->kind != cjose_key_kind_rsa || !key->is_private) return cjose_status_key_invalid;
    uint8_t plain[1024] = {0};
    // RFC 8017, 7.1.2, step 1b: libcrypto takes shorter ones too.
    if (in_len != cjose_modulus_size(key) || n > sizeof plain) return cjose_status_invalid;
    int work = cjose_work_oaep_decrypt + (int)hash;
    cjose_job *job = cjose_job_take(key, work, ready);
    if (job == NULL) return cjose_failed(cjose_status_backend);
    // No branch reveals whether the padding is right: libcrypto's result and its length are as secret as the text.
    size_t made = sizeof plain;
    uint32_t valid = EVP_PKEY_decrypt(job->ctx, plain, &made, in, in_len) == 1;
    valid &= cjose_is_zero((uint32_t)(made ^ n));
    cjose_job_give(key, work, job);
    uint8_t *text = out, mask = (uint8_t)(0u - valid);
    for (size_t i = 0; i < n; i++) text[i] ^= mask & (text[i] ^ plain[i]);
    OPENSSL_cleanse(plain, sizeof plain);
    ERR_clear_error();
    return (cjose_status)(cjose_status_invalid * (valid ^ 1u));
}
