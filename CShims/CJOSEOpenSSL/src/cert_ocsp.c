#include <openssl/ocsp.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include "cert.h"

/// The security level of paths: no signature over SHA-1.
#define SECURITY_BITS 112

static OCSP_BASICRESP *read(cjose_bytes der) {
    if (der.at == NULL || der.count == 0 || cjose_too_long(der.count)) return NULL;
    // The rule of certificates applies to those of responders, too.
    if (cjose_der_has_explicit_curve(der)) return NULL;
    const uint8_t *at = der.at, *end = at + der.count;
    OCSP_RESPONSE *response = d2i_OCSP_RESPONSE(NULL, &at, (long)der.count);
    OCSP_BASICRESP *basic = NULL;
    if (response != NULL && at == end && OCSP_response_status(response) == OCSP_RESPONSE_STATUS_SUCCESSFUL)
        basic = OCSP_response_get1_basic(response);
    OCSP_RESPONSE_free(response);
    const STACK_OF(X509) *certificates = basic != NULL ? OCSP_resp_get0_certs(basic) : NULL;
    bool bounded = true;
    for (int i = 0; bounded && i < sk_X509_num(certificates); i++)
        bounded = cjose_x509_is_bounded(sk_X509_value(certificates, i));
    if (bounded) return basic;
    OCSP_BASICRESP_free(basic);
    return NULL;
}

/// Whether the response has no critical extension (RFC 6960, 4.4). None is supported.
static bool is_plain(OCSP_BASICRESP *basic) {
    for (int i = 0; i < OCSP_BASICRESP_get_ext_count(basic); i++)
        if (X509_EXTENSION_get_critical(OCSP_BASICRESP_get_ext(basic, i)) != 0) return false;
    for (int i = 0; i < OCSP_resp_count(basic); i++) {
        OCSP_SINGLERESP *single = OCSP_resp_get0(basic, i);
        for (int j = 0; j < OCSP_SINGLERESP_get_ext_count(single); j++)
            if (X509_EXTENSION_get_critical(OCSP_SINGLERESP_get_ext(single, j)) != 0) return false;
    }
    return true;
}

/// Whether the key is one that is accepted elsewhere: RSA of at least 2 048 bits, or on a supported curve.
static bool has_key(X509 *x509) {
    cjose_key *key = NULL;
    bool accepted = cjose_certificate_key((const cjose_certificate *)x509, &key) == cjose_status_ok;
    cjose_key_free(key);
    return accepted;
}

/// Whether the responder is the issuer, or one whose certificate the same key signed for this purpose, valid at the
/// time (RFC 6960, 4.2.2.2).
static bool is_authorized(X509 *responder, X509 *issuer, int64_t produced) {
    if (X509_cmp(responder, issuer) == 0) return true;
    EVP_PKEY *key = X509_get0_pubkey(issuer);
    int bits = 0;
    int64_t from, until;
    return key != NULL && has_key(responder)
        && cjose_x509_is_for(responder, OBJ_nid2obj(NID_OCSP_sign), false)
        && (X509_get_key_usage(responder) & KU_DIGITAL_SIGNATURE) != 0
        && X509_check_issued(issuer, responder) == X509_V_OK
        && X509_get_signature_info(responder, NULL, NULL, &bits, NULL) == 1 && bits >= SECURITY_BITS
        && X509_verify(responder, key) == 1 && cjose_seconds(X509_get0_notBefore(responder), &from)
        && cjose_seconds(X509_get0_notAfter(responder), &until) && from <= produced && produced <= until;
}

bool cjose_signature_is_strong(const X509_ALGOR *algorithm) {
    const ASN1_OBJECT *name;
    const void *parameter;
    int type, hash = NID_undef;
    X509_ALGOR_get0(&name, &type, &parameter, algorithm);
    if (OBJ_obj2nid(name) == NID_ED25519 || OBJ_obj2nid(name) == NID_ED448) return true;
    if (OBJ_obj2nid(name) == NID_rsassaPss) {
        // Without parameters the hash is SHA-1 (RFC 4055, 3.1).
        RSA_PSS_PARAMS *pss =
            type == V_ASN1_SEQUENCE ? ASN1_item_unpack(parameter, ASN1_ITEM_rptr(RSA_PSS_PARAMS)) : NULL;
        if (pss != NULL && pss->hashAlgorithm != NULL) {
            X509_ALGOR_get0(&name, NULL, NULL, pss->hashAlgorithm);
            hash = OBJ_obj2nid(name);
        }
        RSA_PSS_PARAMS_free(pss);
    } else if (OBJ_find_sigid_algs(OBJ_obj2nid(name), &hash, NULL) != 1) {
        return false;
    }
    return hash == NID_sha256 || hash == NID_sha384 || hash == NID_sha512;
}

static bool is_signed(const OCSP_BASICRESP *basic, X509 *responder) {
    const X509_ALGOR *algorithm = OCSP_resp_get0_tbs_sigalg(basic);
    EVP_PKEY *key = X509_get0_pubkey(responder);
    return key != NULL && cjose_signature_is_strong(algorithm)
        && ASN1_item_verify(
               ASN1_ITEM_rptr(OCSP_RESPDATA), algorithm, OCSP_resp_get0_signature(basic),
               OCSP_resp_get0_respdata(basic), key)
        == 1;
}

/// Returns the hash of a CertID. It only finds a certificate: SHA-1 is what most write (RFC 5019, 2.1.1).
static const EVP_MD *hash_of(OCSP_SINGLERESP *single) {
    ASN1_OBJECT *name = NULL;
    OCSP_id_get0_info(NULL, &name, NULL, NULL, (OCSP_CERTID *)OCSP_SINGLERESP_get0_id(single));
    switch (OBJ_obj2nid(name)) {
        case NID_sha1: return cjose_library_get()->md[cjose_hash_sha1];
        case NID_sha256: return cjose_library_get()->md[cjose_hash_sha256];
        case NID_sha384: return cjose_library_get()->md[cjose_hash_sha384];
        case NID_sha512: return cjose_library_get()->md[cjose_hash_sha512];
        default: return NULL;
    }
}

static bool is_about(OCSP_SINGLERESP *single, X509 *certificate, X509 *issuer) {
    const EVP_MD *hash = hash_of(single);
    OCSP_CERTID *id = hash != NULL ? OCSP_cert_to_id(hash, certificate, issuer) : NULL;
    bool same = id != NULL && OCSP_id_cmp(id, OCSP_SINGLERESP_get0_id(single)) == 0;
    OCSP_CERTID_free(id);
    return same;
}

static cjose_ocsp_fault status_fault(OCSP_SINGLERESP *single, int64_t produced, const cjose_ocsp_rules *rules) {
    ASN1_GENERALIZEDTIME *from = NULL, *until = NULL;
    int64_t first, last = produced;
    switch (OCSP_single_get0_status(single, NULL, NULL, &from, &until)) {
        case V_OCSP_CERTSTATUS_GOOD: break;
        case V_OCSP_CERTSTATUS_REVOKED: return cjose_ocsp_revoked;
        default: return cjose_ocsp_unknown;
    }
    if (!cjose_seconds(from, &first)) return cjose_ocsp_malformed;
    if (until != NULL && !cjose_seconds(until, &last)) return cjose_ocsp_malformed;
    // The caller's numbers may be at the end of their range.
    int64_t away = 0;
    if (__builtin_sub_overflow(produced, rules->at, &away) || away > rules->within || away < -rules->within)
        return cjose_ocsp_stale;
    if (first > produced || last < produced) return cjose_ocsp_stale;
    return cjose_ocsp_ok;
}

/// Finds the responder and verifies its signature.
static cjose_ocsp_fault responder_fault(OCSP_BASICRESP *basic, X509 *issuer, int64_t produced, X509 **responder) {
    *responder = NULL;
    STACK_OF(X509) *known = sk_X509_new_reserve(NULL, 1);
    if (known == NULL || sk_X509_push(known, issuer) <= 0) {
        sk_X509_free(known);
        return cjose_ocsp_backend;
    }
    bool found = OCSP_resp_get0_signer(basic, responder, known) == 1 && *responder != NULL;
    sk_X509_free(known);
    if (!found || !is_authorized(*responder, issuer, produced)) return cjose_ocsp_responder;
    return is_signed(basic, *responder) ? cjose_ocsp_ok : cjose_ocsp_signature;
}

/// Finds the only status of the certificate.
static cjose_ocsp_fault single_of(
    OCSP_BASICRESP *basic, X509 *certificate, X509 *issuer, OCSP_SINGLERESP **about) {
    *about = NULL;
    for (int i = 0; i < OCSP_resp_count(basic); i++) {
        OCSP_SINGLERESP *single = OCSP_resp_get0(basic, i);
        ASN1_INTEGER *serial = NULL;
        OCSP_id_get0_info(NULL, NULL, NULL, &serial, (OCSP_CERTID *)OCSP_SINGLERESP_get0_id(single));
        // The number is compared before any name is hashed.
        if (serial == NULL || ASN1_INTEGER_cmp(serial, X509_get0_serialNumber(certificate)) != 0) continue;
        if (!is_about(single, certificate, issuer)) continue;
        if (*about != NULL) return cjose_ocsp_malformed;
        *about = single;
    }
    return *about != NULL ? cjose_ocsp_ok : cjose_ocsp_other_certificate;
}

static cjose_ocsp_fault fault_of(
    OCSP_BASICRESP *basic, X509 *certificate, X509 *issuer, const cjose_ocsp_rules *rules) {
    int64_t produced;
    if (!is_plain(basic) || !cjose_seconds(OCSP_resp_get0_produced_at(basic), &produced)) return cjose_ocsp_malformed;
    X509 *responder;
    OCSP_SINGLERESP *about = NULL;
    cjose_ocsp_fault fault = responder_fault(basic, issuer, produced, &responder);
    if (fault == cjose_ocsp_ok) fault = single_of(basic, certificate, issuer, &about);
    return fault == cjose_ocsp_ok ? status_fault(about, produced, rules) : fault;
}

/// Whether each status has both of its times, in their order.
static bool has_times(OCSP_BASICRESP *basic) {
    for (int i = 0; i < OCSP_resp_count(basic); i++) {
        ASN1_GENERALIZEDTIME *from = NULL, *until = NULL;
        int64_t first, last;
        OCSP_single_get0_status(OCSP_resp_get0(basic, i), NULL, NULL, &from, &until);
        if (!cjose_seconds(from, &first) || !cjose_seconds(until, &last) || first > last) return false;
    }
    return OCSP_resp_count(basic) > 0;
}

cjose_status cjose_ocsp_read(cjose_bytes der, OCSP_BASICRESP **out) {
    cjose_forget_errors();
    OCSP_BASICRESP *basic = read(der);
    int64_t produced;
    cjose_status status = cjose_status_ok;
    if (basic == NULL || !has_times(basic) || !cjose_seconds(OCSP_resp_get0_produced_at(basic), &produced))
        status = cjose_status_invalid;
    else if (!is_plain(basic))
        status = cjose_status_unsupported;
    else if (!cjose_signature_is_strong(OCSP_resp_get0_tbs_sigalg(basic)))
        status = cjose_status_key_too_small;
    if (status != cjose_status_ok) {
        OCSP_BASICRESP_free(basic);
        basic = NULL;
    }
    // Extensions are read here and not by the first of several threads.
    const STACK_OF(X509) *certificates = basic != NULL ? OCSP_resp_get0_certs(basic) : NULL;
    for (int i = 0; i < sk_X509_num(certificates); i++) X509_check_purpose(sk_X509_value(certificates, i), -1, 0);
    *out = basic;
    return status == cjose_status_ok ? cjose_failed(status) : cjose_refused(status);
}

cjose_ocsp_fault cjose_ocsp_status(
    OCSP_BASICRESP *basic, X509 *certificate, X509 *issuer, int64_t at, cjose_chain_period *period) {
    OCSP_SINGLERESP *about;
    X509 *responder;
    ASN1_GENERALIZEDTIME *from = NULL, *until = NULL;
    int64_t produced, first, last;
    cjose_chain_period valid = {INT64_MIN, INT64_MAX};
    // The response is chosen by its numbers, before its signature is verified: it may be one of many.
    cjose_ocsp_fault fault = single_of(basic, certificate, issuer, &about);
    if (fault != cjose_ocsp_ok) return fault;
    if (!cjose_seconds(OCSP_resp_get0_produced_at(basic), &produced)) return cjose_ocsp_malformed;
    fault = responder_fault(basic, issuer, produced, &responder);
    if (fault != cjose_ocsp_ok) return fault;
    int status = OCSP_single_get0_status(about, NULL, NULL, &from, &until);
    if (!cjose_seconds(from, &first) || !cjose_seconds(until, &last)) return cjose_ocsp_malformed;
    cjose_period_narrow(&valid, first, last);
    if (X509_cmp(responder, issuer) != 0) {
        if (!cjose_seconds(X509_get0_notBefore(responder), &first)
            || !cjose_seconds(X509_get0_notAfter(responder), &last))
            return cjose_ocsp_malformed;
        cjose_period_narrow(&valid, first, last);
    }
    // Revocation does not end with the response.
    if (status == V_OCSP_CERTSTATUS_REVOKED) return cjose_ocsp_revoked;
    if (at < valid.from || at >= valid.until) return cjose_ocsp_stale;
    if (status != V_OCSP_CERTSTATUS_GOOD) return cjose_ocsp_unknown;
    cjose_period_narrow(period, valid.from, valid.until);
    return cjose_ocsp_ok;
}

cjose_ocsp_fault cjose_ocsp_verify(
    cjose_bytes der, const cjose_certificate *certificate, const cjose_certificate *issuer,
    const cjose_ocsp_rules *rules) {
    cjose_forget_errors();
    OCSP_BASICRESP *basic = read(der);
    cjose_ocsp_fault fault =
        basic != NULL ? fault_of(basic, cjose_x509(certificate), cjose_x509(issuer), rules) : cjose_ocsp_malformed;
    OCSP_BASICRESP_free(basic);
    if (fault != cjose_ocsp_ok && cjose_refused(cjose_status_ok) != cjose_status_ok) fault = cjose_ocsp_backend;
    ERR_clear_error();
    return fault;
}
