#include <openssl/core_names.h>

#include "internal.h"

cjose_status cjose_concat_kdf(
    const void *z, size_t z_len, const void *info, size_t info_len, void *out, size_t out_len) {
    if (cjose_too_long(z_len) || cjose_too_long(info_len) || cjose_too_long(out_len)) return cjose_status_invalid;
    EVP_MD_CTX *md = cjose_digest_take(cjose_hash_sha256);
    if (md == NULL) return cjose_failed(cjose_status_unsupported);
    uint8_t block[32];
    bool ok = true;
    // NIST SP 800-56A, 5.8.1: H(counter || Z || OtherInfo), the counter from 1.
    for (size_t done = 0, round = 1; ok && done < out_len; done += sizeof block, round++) {
        const uint8_t counter[4] = {
            (uint8_t)(round >> 24), (uint8_t)(round >> 16), (uint8_t)(round >> 8), (uint8_t)round};
        ok = (round == 1 || EVP_DigestInit_ex2(md, NULL, NULL) == 1) && EVP_DigestUpdate(md, counter, 4) == 1
            && EVP_DigestUpdate(md, z, z_len) == 1 && EVP_DigestUpdate(md, info, info_len) == 1
            && EVP_DigestFinal_ex(md, block, NULL) == 1;
        size_t remaining = out_len - done;
        if (ok) memcpy((uint8_t *)out + done, block, remaining < sizeof block ? remaining : sizeof block);
    }
    OPENSSL_cleanse(block, sizeof block);
    cjose_digest_give(cjose_hash_sha256, md);
    if (ok) return cjose_status_ok;
    OPENSSL_cleanse(out, out_len);
    return cjose_failed(cjose_status_backend);
}

cjose_status cjose_pbkdf2(
    cjose_hash hash, const void *password, size_t password_len, const void *salt, size_t salt_len,
    uint32_t iterations, void *out, size_t n) {
    if (cjose_too_long(password_len) || cjose_too_long(salt_len) || cjose_too_long(n)) return cjose_status_invalid;
    const cjose_library *library = cjose_library_get();
    EVP_MD *md = library->md[hash];
    if (library->pbkdf2 == NULL || md == NULL) return cjose_status_unsupported;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PASSWORD, (void *)password, password_len),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_len),
        OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_ITER, &iterations),
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)EVP_MD_get0_name(md), 0),
        OSSL_PARAM_construct_end()};
    EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(library->pbkdf2);
    bool ok = ctx != NULL && EVP_KDF_derive(ctx, out, n, params) == 1;
    EVP_KDF_CTX_free(ctx);
    if (ok) return cjose_status_ok;
    OPENSSL_cleanse(out, n);
    return cjose_failed(cjose_status_backend);
}
