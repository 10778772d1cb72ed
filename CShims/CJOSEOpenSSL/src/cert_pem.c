#include <openssl/pem.h>

#include "cert.h"

static const char *text_of(cjose_pem_label label) {
    switch (label) {
        case cjose_pem_label_certificate: return PEM_STRING_X509;
        case cjose_pem_label_revocation_list: return PEM_STRING_X509_CRL;
        case cjose_pem_label_ocsp_response: break;
    }
    return "OCSP RESPONSE";
}

cjose_status cjose_pem_next(cjose_bytes pem, cjose_pem_label wanted, size_t *at, void **der, size_t *der_len) {
    *der = NULL;
    *der_len = 0;
    if (cjose_too_long(pem.count)) return cjose_status_invalid;
    if (pem.at == NULL || *at >= pem.count) return cjose_status_ok;
    size_t count = pem.count - *at;
    BIO *bio = BIO_new_mem_buf((const uint8_t *)pem.at + *at, (int)count);
    if (bio == NULL) return cjose_failed(cjose_status_backend);
    char *label = NULL, *header = NULL;
    uint8_t *data = NULL;
    long size = 0;
    cjose_status status = cjose_status_invalid;
    ERR_clear_error();
    if (PEM_read_bio_ex(bio, &label, &header, &data, &size, PEM_FLAG_ONLY_B64) != 1) {
        // A text without a block is no fault; a block that does not end is one.
        if (ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE) status = cjose_status_ok;
        *at = pem.count;
    } else if (strcmp(label, text_of(wanted)) == 0 && header[0] == 0 && size > 0) {
        *at = pem.count - BIO_ctrl_pending(bio);
        *der = data;
        *der_len = (size_t)size;
        data = NULL;
        status = cjose_status_ok;
    }
    OPENSSL_free(label);
    OPENSSL_free(header);
    // A block with another label could be a private key.
    OPENSSL_clear_free(data, data != NULL ? (size_t)size : 0);
    BIO_free(bio);
    ERR_clear_error();
    return status;
}

cjose_status cjose_certificate_pem(cjose_bytes der, void **out, size_t *out_len) {
    *out = NULL;
    *out_len = 0;
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    long count = 0;
    if (bio != NULL && !cjose_too_long(der.count)
        && PEM_write_bio(bio, PEM_STRING_X509, "", der.at, (long)der.count) > 0)
        count = BIO_get_mem_data(bio, &text);
    if (count > 0 && (*out = OPENSSL_memdup(text, (size_t)count)) != NULL) *out_len = (size_t)count;
    BIO_free(bio);
    return *out != NULL ? cjose_status_ok : cjose_failed(cjose_status_backend);
}
