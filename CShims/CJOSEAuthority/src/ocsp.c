#include "internal.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ocsp.h>

#include <time.h>

static int add_status(OCSP_BASICRESP *basic, const cjose_authority *authority, X509 *certificate) {
    // SHA-1 names the issuer and protects nothing; it is what responders everywhere use (RFC 5019, 2.1.1).
    OCSP_CERTID *identifier = OCSP_cert_to_id(EVP_sha1(), certificate, authority->certificate);
    const time_t now = time(NULL);
    ASN1_TIME *from = ASN1_TIME_set(NULL, now);
    ASN1_TIME *until = ASN1_TIME_set(NULL, now + 3600);
    const int added = identifier && from && until &&
        OCSP_basic_add1_status(basic, identifier, V_OCSP_CERTSTATUS_GOOD, 0, NULL, from, until);
    OCSP_CERTID_free(identifier);
    ASN1_TIME_free(from);
    ASN1_TIME_free(until);
    return added;
}

int cjose_authority_ocsp(
    const cjose_authority *authority, const void *der, size_t der_len, cjose_authority_bytes *response) {
    *response = (cjose_authority_bytes){NULL, 0};
    if (der_len > 65536) return 0;
    const unsigned char *at = der;
    X509 *certificate = d2i_X509(NULL, &at, (long)der_len);
    OCSP_BASICRESP *basic = OCSP_BASICRESP_new();
    OCSP_RESPONSE *whole = NULL;
    BIO *bio = BIO_new(BIO_s_mem());
    if (certificate && basic && bio && add_status(basic, authority, certificate) &&
        OCSP_basic_sign(basic, authority->certificate, authority->key, EVP_sha256(), NULL, 0)) {
        whole = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic);
    }
    const int made = whole && i2d_OCSP_RESPONSE_bio(bio, whole) && cjose_authority_take(bio, response);
    BIO_free(bio);
    OCSP_RESPONSE_free(whole);
    OCSP_BASICRESP_free(basic);
    X509_free(certificate);
    ERR_clear_error();
    return made;
}
