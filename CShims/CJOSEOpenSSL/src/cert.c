#include <openssl/x509v3.h>

#include "cert.h"

bool cjose_x509_is_bounded(const X509 *x509) {
    CRL_DIST_POINTS *points = X509_get_ext_d2i(x509, NID_crl_distribution_points, NULL, NULL);
    int relative = 0;
    for (int i = 0; i < sk_DIST_POINT_num(points); i++) {
        const DIST_POINT_NAME *name = sk_DIST_POINT_value(points, i)->distpoint;
        if (name != NULL && name->type == 1) relative++;
    }
    CRL_DIST_POINTS_free(points);
    return relative <= 1;
}

static cjose_status read_once(cjose_bytes der, cjose_certificate **out) {
    *out = NULL;
    if (der.at == NULL || der.count == 0 || cjose_too_long(der.count)) return cjose_status_invalid;
    // This comes before libcrypto, which decodes the key together with the rest.
    if (cjose_der_has_explicit_curve(der)) return cjose_status_unsupported;
    cjose_forget_errors();
    const uint8_t *at = der.at, *end = at + der.count;
    X509 *made = d2i_X509(NULL, &at, (long)der.count);
    uint8_t *again = NULL;
    // DER is written again as the same bytes: otherwise one certificate would have many thumbprints.
    int size = made != NULL && at == end ? i2d_X509(made, &again) : 0;
    bool same = size > 0 && (size_t)size == der.count && CRYPTO_memcmp(again, der.at, der.count) == 0;
    same = same && cjose_x509_is_bounded(made);
    // Extensions are read here and not by the first of several threads.
    if (same) X509_check_purpose(made, -1, 0);
    OPENSSL_free(again);
    if (!same) {
        X509_free(made);
        return cjose_refused(cjose_status_invalid);
    }
    ERR_clear_error();
    *out = (cjose_certificate *)made;
    return cjose_status_ok;
}

cjose_status cjose_certificate_new(cjose_bytes der, cjose_certificate **out) {
    cjose_status status = read_once(der, out);
    // libcrypto decodes the key together with the rest, keeps that it failed, and leaves no reason if it got no memory.
    bool is_whole = status == cjose_status_ok && X509_get0_pubkey(cjose_x509(*out)) != NULL;
    if (is_whole || status == cjose_status_unsupported || status == cjose_status_backend) return status;
    cjose_certificate_free(*out);
    status = read_once(der, out);
    if (status != cjose_status_ok || X509_get0_pubkey(cjose_x509(*out)) != NULL) return status;
    // The key is of an unsupported kind, which its use reports, unless there was no memory again.
    if ((status = cjose_refused(cjose_status_ok)) == cjose_status_ok) return status;
    cjose_certificate_free(*out);
    *out = NULL;
    return status;
}

void cjose_certificate_free(cjose_certificate *certificate) { X509_free((X509 *)certificate); }

static cjose_status key_once(const cjose_certificate *certificate, cjose_key **out) {
    *out = NULL;
    cjose_forget_errors();
    EVP_PKEY *pkey = X509_get_pubkey(cjose_x509(certificate));
    if (pkey == NULL) return cjose_refused(cjose_status_unsupported);
    cjose_status status = cjose_key_adopt(pkey, false, out);
    ERR_clear_error();
    return status;
}

cjose_status cjose_certificate_key(const cjose_certificate *certificate, cjose_key **out) {
    cjose_status status = key_once(certificate, out);
    // The kind of a key is unknown, and libcrypto leaves no reason, if it got no memory for the name of a curve.
    return status == cjose_status_unsupported || status == cjose_status_key_invalid ? key_once(certificate, out) : status;
}

bool cjose_seconds(const ASN1_TIME *time, int64_t *out) {
    // Nothing is allocated, so that lack of memory is no fault of a time.
    static const struct tm epoch = {.tm_year = 70, .tm_mday = 1};
    struct tm given;
    int days, seconds;
    bool ok = time != NULL && ASN1_TIME_check(time) == 1 && ASN1_TIME_to_tm(time, &given) == 1
        && OPENSSL_gmtime_diff(&days, &seconds, &epoch, &given) == 1;
    if (ok) *out = (int64_t)days * 86400 + seconds;
    return ok;
}

cjose_status cjose_certificate_times(const cjose_certificate *certificate, int64_t *not_before, int64_t *not_after) {
    cjose_forget_errors();
    bool ok = cjose_seconds(X509_get0_notBefore(cjose_x509(certificate)), not_before)
        && cjose_seconds(X509_get0_notAfter(cjose_x509(certificate)), not_after);
    return ok ? cjose_status_ok : cjose_refused(cjose_status_invalid);
}

cjose_status cjose_certificate_name(
    const cjose_certificate *certificate, bool of_issuer, void **out, size_t *out_len) {
    *out = NULL;
    *out_len = 0;
    X509 *x509 = cjose_x509(certificate);
    const X509_NAME *name = of_issuer ? X509_get_issuer_name(x509) : X509_get_subject_name(x509);
    cjose_forget_errors();
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    // UTF-8 is kept; characters that could end a line or are invisible are escaped.
    bool written = bio != NULL && X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0;
    long count = written ? BIO_get_mem_data(bio, &text) : -1;
    // One byte more is allocated: a name may be empty.
    if (count >= 0 && (*out = OPENSSL_malloc((size_t)count + 1)) != NULL) {
        if (count > 0) memcpy(*out, text, (size_t)count);
        *out_len = (size_t)count;
    }
    BIO_free(bio);
    return *out != NULL ? cjose_status_ok : cjose_refused(cjose_status_invalid);
}

bool cjose_certificate_names(const cjose_certificate *certificate, const cjose_certificate *issuer) {
    return X509_NAME_cmp(X509_get_issuer_name(cjose_x509(certificate)), X509_get_subject_name(cjose_x509(issuer))) == 0;
}
