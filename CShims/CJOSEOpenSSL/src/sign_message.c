#include "internal.h"

static cjose_status ask(const cjose_key *key, const void *in, size_t n, const void *signature, size_t signature_len) {
    cjose_forget_errors();
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    cjose_status status = cjose_status_backend;
    if (md != NULL && EVP_DigestVerifyInit_ex(md, NULL, NULL, NULL, NULL, key->pkey, NULL) == 1)
        status = cjose_verdict(EVP_DigestVerify(md, signature, signature_len, n != 0 ? in : "", n));
    EVP_MD_CTX_free(md);
    return status;
}

cjose_status cjose_message_verify(
    const cjose_key *key, cjose_key_kind kind, const void *in, size_t n, const void *signature, size_t signature_len) {
    if (key->kind != kind) return cjose_status_key_invalid;
    if (cjose_too_long(n) || signature_len != cjose_raw_of(kind)->signature_size) return cjose_status_invalid;
    cjose_status status = ask(key, in, n, signature, signature_len);
    // For Ed448 libcrypto returns 0, without a reason, also where it got no memory for its hash. The verification is repeated
    // with a new context, which takes memory too: a second failure stands for an invalid signature. Only a failure pays for that.
    if (status == cjose_status_invalid && kind == cjose_key_kind_ed448) status = ask(key, in, n, signature, signature_len);
    return status == cjose_status_ok ? status : cjose_failed(status);
}

cjose_status cjose_message_sign(
    const cjose_key *key, cjose_key_kind kind, const void *in, size_t n, void *out, size_t capacity, size_t *out_len) {
    if (key->kind != kind || !key->is_private) return cjose_status_key_invalid;
    size_t size = cjose_raw_of(kind)->signature_size, made = capacity;
    if (cjose_too_long(n) || capacity < size) return cjose_status_invalid;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = md != NULL && EVP_DigestSignInit_ex(md, NULL, NULL, NULL, NULL, key->pkey, NULL) == 1
        && EVP_DigestSign(md, out, &made, n != 0 ? in : "", n) == 1 && made == size;
    EVP_MD_CTX_free(md);
    if (!ok) return cjose_failed(cjose_status_backend);
    *out_len = size;
    return cjose_status_ok;
}
