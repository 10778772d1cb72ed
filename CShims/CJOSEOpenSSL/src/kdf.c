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
        size_t rest = out_len - done;
        if (ok) memcpy((uint8_t *)out + done, block, rest < sizeof block ? rest : sizeof block);
    }
    OPENSSL_cleanse(block, sizeof block);
    cjose_digest_give(cjose_hash_sha256, md);
    if (ok) return cjose_status_ok;
    OPENSSL_cleanse(out, out_len);
    return cjose_failed(cjose_status_backend);
}
