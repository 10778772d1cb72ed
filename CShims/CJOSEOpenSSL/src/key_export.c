#include <openssl/encoder.h>
#include <openssl/pem.h>

#include "internal.h"

/// Writes PKCS#8 of ML-DSA with the seed only (RFC 9881, 6), which every reader accepts. libcrypto writes the expanded key too,
/// unless its configuration says otherwise.
static cjose_status export_seed(const cjose_key *key, bool pem, void **out, size_t *out_len) {
    uint8_t der[54] = {0x30, 0x34, 2, 1, 0, 0x30, 0x0b, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 0, 4, 0x22, 0x80, 0x20};
    der[17] = (uint8_t)(0x11 + (key->kind - cjose_key_kind_ml_dsa_44));
    size_t size;
    cjose_status status = cjose_key_part_get(key, cjose_key_part_raw_private, der + 22, 32, &size);
    BIO *bio = pem ? BIO_new(BIO_s_secmem()) : NULL;
    char *text = (char *)der;
    long count = sizeof der;
    if (status == cjose_status_ok && pem)
        count = bio != NULL && PEM_write_bio(bio, PEM_STRING_PKCS8INF, "", der, sizeof der) > 0
            ? BIO_get_mem_data(bio, &text) : 0;
    if (status == cjose_status_ok && (count <= 0 || (*out = OPENSSL_memdup(text, (size_t)count)) == NULL))
        status = cjose_status_backend;
    if (status == cjose_status_ok) *out_len = (size_t)count;
    BIO_free(bio);
    OPENSSL_cleanse(der, sizeof der);
    return status == cjose_status_ok ? status : cjose_failed(status);
}

cjose_status cjose_key_export(const cjose_key *key, cjose_key_form form, bool pem, void **out, size_t *out_len) {
    static const struct {
        const char *structure;
        bool is_private;
    } forms[] = {
        [cjose_key_form_spki] = {"SubjectPublicKeyInfo", false},
        [cjose_key_form_pkcs8] = {"PrivateKeyInfo", true},
        [cjose_key_form_pkcs1_public] = {"type-specific", false},
        [cjose_key_form_pkcs1_private] = {"type-specific", true},
        [cjose_key_form_sec1] = {"type-specific", true},
    };
    *out = NULL;
    *out_len = 0;
    bool is_pkcs1 = form == cjose_key_form_pkcs1_public || form == cjose_key_form_pkcs1_private;
    if ((is_pkcs1 && key->kind != cjose_key_kind_rsa)
        || (form == cjose_key_form_sec1 && cjose_curve_of(key->kind) == NULL)
        || (forms[form].is_private && !key->is_private))
        return cjose_status_key_invalid;
    if (form == cjose_key_form_pkcs8 && key->kind >= cjose_key_kind_ml_dsa_44)
        return export_seed(key, pem, out, out_len);
    int selection = forms[form].is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;
    OSSL_ENCODER_CTX *ctx = OSSL_ENCODER_CTX_new_for_pkey(
        key->pkey, selection, pem ? "PEM" : "DER", forms[form].structure, NULL);
    unsigned char *made = NULL;
    bool ok = ctx != NULL && OSSL_ENCODER_CTX_get_num_encoders(ctx) > 0
        && OSSL_ENCODER_to_data(ctx, &made, out_len) == 1;
    OSSL_ENCODER_CTX_free(ctx);
    if (!ok) return cjose_failed(cjose_status_backend);
    *out = made;
    return cjose_status_ok;
}

void cjose_buffer_free(void *buffer, size_t len) { OPENSSL_clear_free(buffer, len); }
