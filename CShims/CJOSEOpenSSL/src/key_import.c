#include <openssl/pem.h>
#include <openssl/x509.h>

#include "internal.h"

static EVP_PKEY *read_spki(cjose_bytes der) {
    const uint8_t *at = der.at, *end = at + der.count;
    EVP_PKEY *made = d2i_PUBKEY_ex(NULL, &at, (long)der.count, NULL, NULL);
    if (made != NULL && at == end) return made;
    EVP_PKEY_free(made);
    return NULL;
}

static EVP_PKEY *read_pkcs8(cjose_bytes der) {
    const uint8_t *at = der.at, *end = at + der.count;
    PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, (long)der.count);
    EVP_PKEY *made = info != NULL && at == end ? EVP_PKCS82PKEY_ex(info, NULL, NULL) : NULL;
    PKCS8_PRIV_KEY_INFO_free(info);
    return made;
}

static bool is_pkcs8(cjose_bytes der) {
    const uint8_t *at = der.at, *end = at + der.count;
    PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, (long)der.count);
    PKCS8_PRIV_KEY_INFO_free(info);
    return info != NULL && at == end;
}

// The library falls back to PKCS #8, which has a label and a form of its own.
static EVP_PKEY *read_typed(cjose_bytes der, int type, bool is_private) {
    if (is_private && is_pkcs8(der)) return NULL;
    const uint8_t *at = der.at, *end = at + der.count;
    EVP_PKEY *made = is_private ? d2i_PrivateKey_ex(type, NULL, &at, (long)der.count, NULL, NULL)
                                : d2i_PublicKey(type, NULL, &at, (long)der.count);
    if (made != NULL && at == end) return made;
    EVP_PKEY_free(made);
    return NULL;
}

static cjose_status read_once(cjose_bytes der, cjose_bytes passphrase, int forms, cjose_key **out) {
    *out = NULL;
    if (der.at == NULL || der.count == 0 || cjose_too_long(der.count)) return cjose_status_key_invalid;
    if (cjose_der_has_explicit_curve(der)) return cjose_status_unsupported;
    cjose_forget_errors();
    EVP_PKEY *made = NULL;
    bool is_private = true;
    if (forms & cjose_der_pkcs8_encrypted) {
        bool recognised = false;
        cjose_status status = cjose_key_decrypt(der, passphrase, &made, &recognised);
        if (recognised && status != cjose_status_ok) return cjose_refused(status);
    }
    if (made == NULL && (forms & cjose_der_pkcs8)) made = read_pkcs8(der);
    if (made == NULL && (forms & cjose_der_pkcs1_private)) made = read_typed(der, EVP_PKEY_RSA, true);
    if (made == NULL && (forms & cjose_der_sec1)) made = read_typed(der, EVP_PKEY_EC, true);
    if (made == NULL) is_private = false;
    if (made == NULL && (forms & cjose_der_spki)) made = read_spki(der);
    if (made == NULL && (forms & cjose_der_pkcs1_public)) made = read_typed(der, EVP_PKEY_RSA, false);
    if (made == NULL) return cjose_refused(cjose_status_key_invalid);
    cjose_status status = cjose_key_adopt(made, is_private, out);
    ERR_clear_error();
    return status;
}

cjose_status cjose_key_read(cjose_bytes der, cjose_bytes passphrase, int forms, cjose_key **out) {
    cjose_status status = read_once(der, passphrase, forms, out);
    // A decoder that got no memory leaves no reason. A wrong passphrase is not tried twice: that may take seconds.
    bool may_be_memory = status == cjose_status_key_invalid || status == cjose_status_unsupported;
    return may_be_memory ? read_once(der, passphrase, forms, out) : status;
}

cjose_status cjose_key_der_import(cjose_bytes der, cjose_bytes passphrase, cjose_key **out) {
    return cjose_key_read(der, passphrase, cjose_der_any, out);
}

static int forms_of(const char *label) {
    static const struct {
        const char *label;
        int forms;
    } labels[] = {
        {"PUBLIC KEY", cjose_der_spki},
        {"PRIVATE KEY", cjose_der_pkcs8},
        {"ENCRYPTED PRIVATE KEY", cjose_der_pkcs8_encrypted},
        {"RSA PUBLIC KEY", cjose_der_pkcs1_public},
        {"RSA PRIVATE KEY", cjose_der_pkcs1_private},
        {"EC PRIVATE KEY", cjose_der_sec1},
    };
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(label, labels[i].label) == 0) return labels[i].forms;
    return 0;
}

typedef struct block {
    char *label, *header;
    uint8_t *data;
    long size;
} block;

static bool next_block(BIO *bio, block *block) {
    return PEM_read_bio_ex(
               bio, &block->label, &block->header, &block->data, &block->size, PEM_FLAG_SECURE | PEM_FLAG_ONLY_B64)
        == 1;
}

static void block_free(block *block) {
    OPENSSL_secure_free(block->label);
    OPENSSL_secure_free(block->header);
    OPENSSL_secure_clear_free(block->data, block->data != NULL ? (size_t)block->size : 0);
    *block = (struct block){NULL, NULL, NULL, 0};
}

static cjose_status read_pem(cjose_bytes pem, cjose_bytes passphrase, cjose_key **out) {
    *out = NULL;
    if (pem.at == NULL || pem.count == 0 || cjose_too_long(pem.count)) return cjose_status_invalid;
    cjose_forget_errors();
    BIO *bio = BIO_new_mem_buf(pem.at, (int)pem.count);
    if (bio == NULL) return cjose_failed(cjose_status_backend);
    cjose_status status = cjose_status_invalid;
    block block = {NULL, NULL, NULL, 0}, more = {NULL, NULL, NULL, 0};
    bool found = next_block(bio, &block);
    if (found && strcmp(block.label, "EC PARAMETERS") == 0) {
        block_free(&block);
        found = next_block(bio, &block);
    }
    // A header belongs to legacy PEM encryption, whose key derivation is one round of MD5.
    bool plain = found && block.header[0] == 0;
    if (plain && !next_block(bio, &more)) {
        int forms = forms_of(block.label);
        cjose_bytes der = {block.data, (size_t)block.size};
        status = forms != 0 ? cjose_key_read(der, passphrase, forms, out) : cjose_status_unsupported;
    }
    block_free(&block);
    block_free(&more);
    BIO_free(bio);
    return status == cjose_status_ok ? cjose_failed(status) : cjose_refused(status);
}

cjose_status cjose_key_pem_import(cjose_bytes pem, cjose_bytes passphrase, cjose_key **out) {
    cjose_status status = read_pem(pem, passphrase, out);
    // libcrypto leaves no reason where it got no memory for the first bytes of a block.
    return status == cjose_status_invalid ? read_pem(pem, passphrase, out) : status;
}
