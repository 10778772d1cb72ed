#include "internal.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <stdlib.h>
#include <string.h>

int cjose_authority_take(BIO *bio, cjose_authority_bytes *bytes) {
    char *start = NULL;
    const long n = BIO_get_mem_data(bio, &start);
    unsigned char *copy = n > 0 ? malloc((size_t)n) : NULL;
    if (!copy) return 0;
    memcpy(copy, start, (size_t)n);
    *bytes = (cjose_authority_bytes){copy, (size_t)n};
    return 1;
}

void cjose_authority_bytes_free(cjose_authority_bytes bytes) {
    if (bytes.start) OPENSSL_cleanse(bytes.start, bytes.count);
    free(bytes.start);
}

static int add(X509 *certificate, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    const int added = extension && X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

static int set_serial(X509 *certificate) {
    unsigned char serial[16];
    if (RAND_bytes(serial, sizeof serial) != 1) return 0;
    // The serial number is positive, and always as long (RFC 5280, 4.1.2.2).
    serial[0] = (unsigned char)((serial[0] & 0x3F) | 0x40);
    BIGNUM *number = BN_bin2bn(serial, sizeof serial, NULL);
    const int is_set = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    return is_set;
}

/// Creates a certificate without extensions and signature. Its validity begins an hour ago, because clocks differ.
static X509 *draft(const char *name, EVP_PKEY *key, X509 *issuer, int days) {
    X509 *certificate = X509_new();
    X509_NAME *subject = X509_NAME_new();
    if (certificate && subject && X509_set_version(certificate, X509_VERSION_3) && set_serial(certificate) &&
        X509_NAME_add_entry_by_txt(
            subject, "O", MBSTRING_UTF8, (const unsigned char *)"Bulla sandbox, not to be trusted", -1, -1, 0) &&
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)name, -1, -1, 0) &&
        X509_set_subject_name(certificate, subject) &&
        X509_set_issuer_name(certificate, issuer ? X509_get_subject_name(issuer) : subject) &&
        X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) &&
        X509_gmtime_adj(X509_getm_notAfter(certificate), 86400L * days) && X509_set_pubkey(certificate, key)) {
        X509_NAME_free(subject);
        return certificate;
    }
    X509_NAME_free(subject);
    X509_free(certificate);
    return NULL;
}

cjose_authority *cjose_authority_new(const char *name, int days) {
    cjose_authority *authority = calloc(1, sizeof *authority);
    if (!authority) return NULL;
    authority->key = EVP_EC_gen("P-256");
    if (authority->key) authority->certificate = draft(name, authority->key, NULL, days);
    X509 *own = authority->certificate;
    const int is_whole = own && add(own, own, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
        add(own, own, NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature") &&
        add(own, own, NID_subject_key_identifier, "hash") && X509_sign(own, authority->key, EVP_sha256()) > 0;
    ERR_clear_error();
    if (is_whole) return authority;
    cjose_authority_free(authority);
    return NULL;
}

void cjose_authority_free(cjose_authority *authority) {
    X509_free(authority->certificate);
    EVP_PKEY_free(authority->key);
    free(authority);
}

static int write_pem(X509 *certificate, cjose_authority_bytes *pem) {
    BIO *bio = BIO_new(BIO_s_mem());
    const int wrote = bio && PEM_write_bio_X509(bio, certificate) == 1 && cjose_authority_take(bio, pem);
    BIO_free(bio);
    return wrote;
}

static int write_key(EVP_PKEY *key, cjose_authority_bytes *pem) {
    BIO *bio = BIO_new(BIO_s_mem());
    const int wrote = bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1 &&
        cjose_authority_take(bio, pem);
    BIO_free(bio);
    return wrote;
}

static int write_der(X509 *certificate, cjose_authority_bytes *der) {
    BIO *bio = BIO_new(BIO_s_mem());
    const int wrote = bio && i2d_X509_bio(bio, certificate) && cjose_authority_take(bio, der);
    BIO_free(bio);
    return wrote;
}

int cjose_authority_pem(const cjose_authority *authority, cjose_authority_bytes *pem) {
    return write_pem(authority->certificate, pem);
}

static char *alternative_names(const char *const *names, size_t n) {
    size_t count = 1;
    for (size_t i = 0; i < n; i++) count += strlen(names[i]) + sizeof "DNS:,";
    char *text = calloc(1, count);
    for (size_t i = 0; text && i < n; i++) {
        // A comma would begin another kind of name.
        if (strchr(names[i], ',')) {
            free(text);
            return NULL;
        }
        if (i > 0) strcat(text, ",");
        strcat(text, "DNS:");
        strcat(text, names[i]);
    }
    return text;
}

int cjose_authority_issue(
    const cjose_authority *authority, const char *const *names, size_t n, int is_client, int days,
    cjose_authority_bytes *certificate, cjose_authority_bytes *key) {
    *certificate = (cjose_authority_bytes){NULL, 0};
    *key = (cjose_authority_bytes){NULL, 0};
    if (n == 0) return 0;
    char *alternatives = alternative_names(names, n);
    EVP_PKEY *fresh = EVP_EC_gen("P-256");
    X509 *made = fresh && alternatives ? draft(names[0], fresh, authority->certificate, days) : NULL;
    int issued = made && add(made, authority->certificate, NID_basic_constraints, "critical,CA:FALSE") &&
        add(made, authority->certificate, NID_key_usage, "critical,digitalSignature") &&
        add(made, authority->certificate, NID_ext_key_usage, is_client ? "clientAuth" : "serverAuth") &&
        add(made, authority->certificate, NID_subject_alt_name, alternatives) &&
        add(made, authority->certificate, NID_authority_key_identifier, "keyid") &&
        X509_sign(made, authority->key, EVP_sha256()) > 0 && write_pem(made, certificate) && write_key(fresh, key);
    if (!issued) {
        cjose_authority_bytes_free(*certificate);
        *certificate = (cjose_authority_bytes){NULL, 0};
    }
    X509_free(made);
    EVP_PKEY_free(fresh);
    free(alternatives);
    ERR_clear_error();
    return issued;
}

static int certify(
    const cjose_authority *authority, const char *name, const void *key_pem, size_t key_pem_len, int days,
    cjose_authority_bytes *der) {
    *der = (cjose_authority_bytes){NULL, 0};
    if (key_pem_len > 65536) return 0;
    BIO *bio = BIO_new_mem_buf(key_pem, (int)key_pem_len);
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL) : NULL;
    X509 *made = key ? draft(name, key, authority ? authority->certificate : NULL, days) : NULL;
    const int certified = made && add(made, made, NID_basic_constraints, "critical,CA:FALSE") &&
        add(made, made, NID_key_usage, "critical,digitalSignature,nonRepudiation") &&
        (!authority || add(made, authority->certificate, NID_authority_key_identifier, "keyid")) &&
        X509_sign(made, authority ? authority->key : key, EVP_sha256()) > 0 && write_der(made, der);
    X509_free(made);
    EVP_PKEY_free(key);
    BIO_free(bio);
    ERR_clear_error();
    return certified;
}

int cjose_authority_certify(
    const cjose_authority *authority, const char *name, const void *key_pem, size_t key_pem_len, int days,
    cjose_authority_bytes *der) {
    return certify(authority, name, key_pem, key_pem_len, days, der);
}

int cjose_authority_self_certify(
    const char *name, const void *key_pem, size_t key_pem_len, int days, cjose_authority_bytes *der) {
    return certify(NULL, name, key_pem, key_pem_len, days, der);
}
