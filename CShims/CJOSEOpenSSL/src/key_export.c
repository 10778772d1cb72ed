#include <openssl/encoder.h>

#include "internal.h"

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
