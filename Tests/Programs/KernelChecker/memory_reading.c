#include "CJOSEOpenSSL.h"
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

// Whichever allocation of libcrypto fails while a key, a certificate or a point is read or a path is verified, the
// input is never reported as invalid: it is either accepted, or the failure is one of the library.

/// The arguments of a reader: the bytes that it reads, or the path that it verifies.
typedef struct input {
    cjose_bytes bytes;
    const cjose_certificate *chain[2];
    const cjose_trust *trust;
    cjose_key_kind kind;
    EVP_PKEY *pkey;
} input;

typedef int (*reader)(const input *input);

/// Reads the input with each of the first 256 allocations refused in turn, and then with one of every 64th part of
/// them, alone or with all that follow it. Decoders of libcrypto 3.0 make 10,000. `right` is the answer where there is
/// memory, and `backend` that of a failure.
static void check(const char *name, reader read, const input *input, int right, int backend) {
    // What libcrypto fetches once and keeps is fetched here.
    if (read(input) != right) fail("%s, with memory", name);
    // What libcrypto fetches once and keeps is fetched here.
    if (read(input) != right) fail("%s, with memory", name);
    size_t refusals = 0;
    for (int onwards = 0; onwards < 2; onwards++) {
        for (long after = 0;; after += 1 + after / 256 * (after / 64)) {
            memory_refuse(after, onwards != 0);
            int answer = read(input);
            bool refused = memory_refused();
            memory_refuse(-1, false);
            if (answer != right && !(refused && answer == backend))
                fail("%s, request %ld of memory refused%s: %d instead of %d", name, after, onwards ? " and all after it" : "", answer,
                     refused ? backend : right);
            if (!refused) break;
            refusals += answer == backend;
        }
    }
    printf("  %s: %zu times out of memory\n", name, refusals);
}

static int read_der(const input *input) {
    cjose_key *key = NULL;
    cjose_status status = cjose_key_der_import(input->bytes, (cjose_bytes){NULL, 0}, &key);
    cjose_key_free(key);
    return (int)status;
}

static int read_pem(const input *input) {
    cjose_key *key = NULL;
    cjose_status status = cjose_key_pem_import(input->bytes, (cjose_bytes){NULL, 0}, &key);
    cjose_key_free(key);
    return (int)status;
}

static int read_point(const input *input) {
    const uint8_t *at = input->bytes.at;
    size_t half = input->bytes.count / 2;
    cjose_key *key = NULL;
    cjose_status status = cjose_key_ec_new(
        input->kind, (cjose_bytes){at, half}, (cjose_bytes){at + half, half}, (cjose_bytes){NULL, 0}, &key);
    cjose_key_free(key);
    return (int)status;
}

static int read_raw(const input *input) {
    cjose_key *key = NULL;
    cjose_status status = cjose_key_raw_new(input->kind, input->bytes, false, &key);
    cjose_key_free(key);
    return (int)status;
}

static int read_certificate(const input *input) {
    cjose_certificate *certificate = NULL;
    cjose_key *key = NULL;
    int64_t from, until;
    cjose_status status = cjose_certificate_new(input->bytes, &certificate);
    if (status == cjose_status_ok) status = cjose_certificate_key(certificate, &key);
    if (status == cjose_status_ok) status = cjose_certificate_times(certificate, &from, &until);
    cjose_key_free(key);
    cjose_certificate_free(certificate);
    return (int)status;
}

static int agree(const input *input) {
    cjose_key *key = NULL;
    uint8_t z[66];
    memory_pause(true);
    need(EVP_PKEY_up_ref(input->pkey) == 1 && cjose_key_take(input->pkey, true, &key) == cjose_status_ok, "cjose_key_take");
    memory_pause(false);
    cjose_status status = cjose_agree(key, input->bytes.at, input->bytes.count, z);
    cjose_key_free(key);
    return (int)status;
}

static int verify_path(const input *input) {
    cjose_chain_rules rules = {.at = 1700000000, .max_certificates = 4};
    cjose_chain_period period;
    return (int)cjose_chain_verify(input->trust, input->chain, 2, &rules, &period);
}

static cjose_bytes copy(const void *at, size_t count) {
    void *made = malloc(count);
    need(made != NULL, "malloc");
    return (cjose_bytes){memcpy(made, at, count), count};
}

static cjose_bytes encoded(EVP_PKEY *pkey, bool is_private, bool is_pem) {
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    int done = is_pem ? is_private ? PEM_write_bio_PKCS8PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL) : PEM_write_bio_PUBKEY(bio, pkey)
        : is_private  ? i2d_PKCS8PrivateKey_bio(bio, pkey, NULL, NULL, 0, NULL, NULL)
                      : i2d_PUBKEY_bio(bio, pkey);
    need(done == 1, "encoding a key");
    long count = BIO_get_mem_data(bio, &text);
    cjose_bytes made = copy(text, (size_t)count);
    BIO_free(bio);
    return made;
}

static void extend(X509 *x509, X509 *issuer, int nid, const char *value) {
    X509V3_CTX ctx;
    X509V3_set_ctx(&ctx, issuer, x509, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    need(extension != NULL && X509_add_ext(x509, extension, -1) == 1, "X509_add_ext");
    X509_EXTENSION_free(extension);
}

/// Returns the DER of a certificate of the key, signed by `issuer`, or by itself where that is null.
static cjose_bytes certify(EVP_PKEY *pkey, const char *name, X509 *issuer, EVP_PKEY *by, X509 **out) {
    X509 *x509 = X509_new();
    need(x509 != NULL && X509_set_version(x509, 2) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(x509), 7) == 1, "X509_new");
    ASN1_TIME_set(X509_getm_notBefore(x509), 1600000000);
    ASN1_TIME_set(X509_getm_notAfter(x509), 1900000000);
    X509_NAME *subject = X509_get_subject_name(x509);
    need(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)name, -1, -1, 0) == 1, "a name");
    X509_set_issuer_name(x509, issuer != NULL ? X509_get_subject_name(issuer) : subject);
    X509_set_pubkey(x509, pkey);
    extend(x509, issuer != NULL ? issuer : x509, NID_subject_key_identifier, "hash");
    if (issuer != NULL) extend(x509, issuer, NID_authority_key_identifier, "keyid");
    extend(x509, x509, NID_basic_constraints, issuer != NULL ? "critical,CA:FALSE" : "critical,CA:TRUE");
    extend(x509, x509, NID_key_usage, issuer != NULL ? "critical,digitalSignature" : "critical,keyCertSign,cRLSign");
    need(X509_sign(x509, by, EVP_sha256()) > 0, "X509_sign");
    uint8_t *der = NULL;
    int count = i2d_X509(x509, &der);
    need(count > 0, "i2d_X509");
    cjose_bytes made = copy(der, (size_t)count);
    OPENSSL_free(der);
    *out = x509;
    return made;
}

static void check_paths(EVP_PKEY *leaf, EVP_PKEY *authority, const char *name) {
    X509 *root = NULL, *end = NULL;
    cjose_bytes ders[2];
    ders[1] = certify(authority, "root", NULL, authority, &root);
    ders[0] = certify(leaf, "leaf", root, authority, &end);
    cjose_certificate *chain[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) need(cjose_certificate_new(ders[i], &chain[i]) == cjose_status_ok, "cjose_certificate_new");
    const cjose_certificate *roots[] = {chain[1]};
    cjose_trust *trust = NULL;
    need(cjose_trust_new(roots, 1, &trust) == cjose_status_ok, "cjose_trust_new");
    char text[64];
    snprintf(text, sizeof text, "a certificate of %s", name);
    check(text, read_certificate, &(input){.bytes = ders[0]}, cjose_status_ok, cjose_status_backend);
    snprintf(text, sizeof text, "a path of %s", name);
    check(text, verify_path, &(input){.chain = {chain[0], chain[1]}, .trust = trust}, cjose_chain_ok, cjose_chain_backend);
    cjose_trust_free(trust);
    for (int i = 0; i < 2; i++) {
        cjose_certificate_free(chain[i]);
        free((void *)ders[i].at);
    }
    X509_free(root);
    X509_free(end);
}

/// Reads a key in the four encodings, and a broken one.
static void check_key(EVP_PKEY *pkey, const char *name) {
    for (int form = 0; form < 4; form++) {
        bool is_private = form & 1, is_pem = form & 2;
        cjose_bytes bytes = encoded(pkey, is_private, is_pem);
        char text[64];
        snprintf(text, sizeof text, "%s key of %s, %s", is_private ? "a private" : "a public", name, is_pem ? "PEM" : "DER");
        check(text, is_pem ? read_pem : read_der, &(input){.bytes = bytes}, cjose_status_ok, cjose_status_backend);
        free((void *)bytes.at);
    }
}

static void check_curve(EVP_PKEY *pkey, cjose_key_kind kind, const char *name) {
    uint8_t point[133];
    size_t count = 0;
    need(EVP_PKEY_get_octet_string_param(pkey, "pub", point, sizeof point, &count) == 1, "a point");
    char text[64];
    snprintf(text, sizeof text, "a point of %s", name);
    check(text, read_point, &(input){.bytes = {point + 1, count - 1}, .kind = kind}, cjose_status_ok, cjose_status_backend);
    snprintf(text, sizeof text, "an agreement on %s", name);
    check(text, agree, &(input){.bytes = {point, count}, .kind = kind, .pkey = pkey}, cjose_status_ok, cjose_status_backend);
    // The controls: a point that is not on the curve is invalid.
    point[count - 1] ^= 1;
    snprintf(text, sizeof text, "no point of %s", name);
    check(text, read_point, &(input){.bytes = {point + 1, count - 1}, .kind = kind}, cjose_status_key_invalid, cjose_status_backend);
    check(text, agree, &(input){.bytes = {point, count}, .kind = kind, .pkey = pkey}, cjose_status_invalid, cjose_status_backend);
}

static void check_raw(const char *name, cjose_key_kind kind) {
    EVP_PKEY *pkey = EVP_PKEY_Q_keygen(NULL, NULL, name);
    need(pkey != NULL, "EVP_PKEY_Q_keygen");
    uint8_t bytes[2592];
    size_t count = 0;
    need(EVP_PKEY_get_octet_string_param(pkey, "pub", bytes, sizeof bytes, &count) == 1, "a public key");
    check(name, read_raw, &(input){.bytes = {bytes, count}, .kind = kind}, cjose_status_ok, cjose_status_backend);
    if (kind == cjose_key_kind_x448)
        check("an agreement on X448", agree, &(input){.bytes = {bytes, count}, .pkey = pkey}, cjose_status_ok, cjose_status_backend);
    EVP_PKEY_free(pkey);
}

void memory_reading_check(EVP_PKEY *rsa, EVP_PKEY *p256, EVP_PKEY *p384) {
    check_key(rsa, "RSA");
    check_key(p256, "P-256");
    check_curve(p256, cjose_key_kind_p256, "P-256");
    check_curve(p384, cjose_key_kind_p384, "P-384");
    check_raw("ED448", cjose_key_kind_ed448);
    check_raw("X448", cjose_key_kind_x448);
    if (cjose_signature_available(cjose_signature_ml_dsa_44)) check_raw("ML-DSA-44", cjose_key_kind_ml_dsa_44);
    check_paths(p256, rsa, "P-256 under RSA");
    check_paths(rsa, p384, "RSA under P-384");
}
