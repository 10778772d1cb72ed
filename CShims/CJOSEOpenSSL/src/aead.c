#include "aead.h"

static bool is_gcm(cjose_content content) { return content >= cjose_content_a128gcm; }
static int key_size(cjose_content content) { return (int)content % 3; }

cjose_status cjose_content_seal(
    cjose_content content, const void *cek, const void *iv, const void *aad, size_t aad_len, const void *in, size_t n,
    void *out, size_t *out_len, void *tag) {
    if (cjose_too_long(aad_len) || cjose_too_long(n) || cjose_too_long(n + 16)) return cjose_status_invalid;
    const cjose_sealing job = {cek, iv, aad, aad_len, in, n, out, tag};
    if (!is_gcm(content)) return cjose_cbc_hmac_seal(key_size(content), &job, out_len);
    *out_len = n;
    return cjose_gcm_seal(key_size(content), &job);
}

cjose_status cjose_content_open(
    cjose_content content, const void *cek, const void *iv, size_t iv_len, const void *aad, size_t aad_len,
    const void *in, size_t n, const void *tag, size_t tag_len, void *out, size_t *out_len) {
    static const uint8_t tag_sizes[3] = {16, 24, 32};
    if (cjose_too_long(aad_len) || cjose_too_long(n)) return cjose_status_invalid;
    const cjose_opening job = {cek, iv, aad, aad_len, in, n, tag, out};
    if (!is_gcm(content)) {
        if (iv_len != 16 || tag_len != tag_sizes[key_size(content)]) return cjose_status_invalid;
        return cjose_cbc_hmac_open(key_size(content), &job, out_len);
    }
    if (iv_len != 12 || tag_len != 16) return cjose_status_invalid;
    *out_len = n;
    return cjose_gcm_open(key_size(content), &job);
}
