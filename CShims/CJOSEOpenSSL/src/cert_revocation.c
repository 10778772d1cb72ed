#include <openssl/ocsp.h>
#include <openssl/x509v3.h>

#include "cert.h"

struct cjose_revocation {
    STACK_OF(X509_CRL) *lists;
    OCSP_BASICRESP **responses;
    size_t response_count, response_capacity;
};

cjose_revocation *cjose_revocation_new(void) {
    cjose_revocation *made = OPENSSL_zalloc(sizeof(cjose_revocation));
    if (made != NULL && (made->lists = sk_X509_CRL_new_null()) == NULL) {
        OPENSSL_free(made);
        made = NULL;
    }
    ERR_clear_error();
    return made;
}

void cjose_revocation_free(cjose_revocation *revocation) {
    if (revocation == NULL) return;
    sk_X509_CRL_pop_free(revocation->lists, X509_CRL_free);
    for (size_t i = 0; i < revocation->response_count; i++) OCSP_BASICRESP_free(revocation->responses[i]);
    OPENSSL_free(revocation->responses);
    OPENSSL_free(revocation);
}

/// Whether the list has no critical extension but those that say what the list covers.
static bool is_plain(const X509_CRL *list) {
    for (int i = 0; i < X509_CRL_get_ext_count(list); i++) {
        X509_EXTENSION *extension = X509_CRL_get_ext(list, i);
        if (X509_EXTENSION_get_critical(extension) == 0) continue;
        switch (OBJ_obj2nid(X509_EXTENSION_get_object(extension))) {
            case NID_issuing_distribution_point:
            case NID_authority_key_identifier:
            case NID_crl_number: break;
            default: return false;
        }
    }
    STACK_OF(X509_REVOKED) *revoked = X509_CRL_get_REVOKED((X509_CRL *)list);
    for (int i = 0; i < sk_X509_REVOKED_num(revoked); i++) {
        const X509_REVOKED *one = sk_X509_REVOKED_value(revoked, i);
        for (int j = 0; j < X509_REVOKED_get_ext_count(one); j++)
            if (X509_EXTENSION_get_critical(X509_REVOKED_get_ext(one, j)) != 0) return false;
    }
    return true;
}

/// Whether the list is complete for what its issuer issues: no delta, not indirect, and not for some reasons or
/// attribute certificates only (RFC 5280, 5.2.4 and 5.2.5).
static bool is_complete(const X509_CRL *list) {
    if (X509_CRL_get_ext_by_NID(list, NID_delta_crl, -1) >= 0) return false;
    int critical = -1;
    ISSUING_DIST_POINT *point = X509_CRL_get_ext_d2i(list, NID_issuing_distribution_point, &critical, NULL);
    // The value -1 stands for a missing extension; other failures are extensions that cannot be read or are duplicates.
    if (point == NULL) return critical == -1;
    bool complete = point->indirectCRL <= 0 && point->onlysomereasons == NULL && point->onlyattr <= 0;
    ISSUING_DIST_POINT_free(point);
    return complete;
}

static bool times_of(const X509_CRL *list, int64_t *from, int64_t *until) {
    return cjose_seconds(X509_CRL_get0_lastUpdate(list), from) && cjose_seconds(X509_CRL_get0_nextUpdate(list), until);
}

cjose_status cjose_revocation_list_add(cjose_revocation *revocation, cjose_bytes der) {
    if (der.at == NULL || der.count == 0 || cjose_too_long(der.count)) return cjose_status_invalid;
    cjose_forget_errors();
    const uint8_t *at = der.at, *end = at + der.count;
    X509_CRL *list = d2i_X509_CRL(NULL, &at, (long)der.count);
    const X509_ALGOR *algorithm = NULL;
    int64_t from, until;
    cjose_status status = cjose_status_ok;
    if (list != NULL) X509_CRL_get0_signature(list, NULL, &algorithm);
    if (list == NULL || at != end || !times_of(list, &from, &until) || from > until)
        status = cjose_status_invalid;
    else if (!is_complete(list) || !is_plain(list))
        status = cjose_status_unsupported;
    else if (!cjose_signature_is_strong(algorithm))
        status = cjose_status_key_too_small;
    else if (sk_X509_CRL_push(revocation->lists, list) <= 0)
        status = cjose_status_backend;
    if (status == cjose_status_ok) return cjose_failed(status);
    X509_CRL_free(list);
    return cjose_refused(status);
}

cjose_status cjose_revocation_response_add(cjose_revocation *revocation, cjose_bytes der) {
    OCSP_BASICRESP *basic = NULL;
    cjose_status status = cjose_ocsp_read(der, &basic);
    if (status == cjose_status_ok && revocation->response_count == revocation->response_capacity) {
        size_t capacity = revocation->response_capacity * 2 + 4;
        OCSP_BASICRESP **grown = OPENSSL_realloc(revocation->responses, capacity * sizeof(*grown));
        if (grown != NULL) {
            revocation->responses = grown;
            revocation->response_capacity = capacity;
        } else {
            OCSP_BASICRESP_free(basic);
            status = cjose_status_backend;
        }
    }
    if (status == cjose_status_ok) revocation->responses[revocation->response_count++] = basic;
    return cjose_failed(status);
}

/// The certificates of a path, by their depth, for which no list has a status.
typedef struct unlisted {
    uint64_t depths;
} unlisted;
enum { max_depths = 64 };

/// Notes missing lists in place of rejecting the path, because a response may take their place. The root is what the
/// caller trusts: no list is required of it, and none revokes it (RFC 5280, 6.1).
static int note(int ok, X509_STORE_CTX *ctx) {
    if (ok) return ok;
    int depth = X509_STORE_CTX_get_error_depth(ctx);
    bool is_root = depth == sk_X509_num(X509_STORE_CTX_get0_chain(ctx)) - 1;
    switch (X509_STORE_CTX_get_error(ctx)) {
        case X509_V_ERR_UNABLE_TO_GET_CRL:
        case X509_V_ERR_DIFFERENT_CRL_SCOPE:
            if (is_root) break;
            if (depth < 0 || depth >= max_depths) return 0;
            ((unlisted *)X509_STORE_CTX_get_ex_data(ctx, 0))->depths |= (uint64_t)1 << depth;
            break;
        case X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER:
        case X509_V_ERR_CRL_HAS_EXPIRED:
        case X509_V_ERR_CRL_NOT_YET_VALID:
        case X509_V_ERR_CRL_SIGNATURE_FAILURE:
        case X509_V_ERR_CRL_PATH_VALIDATION_ERROR:
        case X509_V_ERR_KEYUSAGE_NO_CRL_SIGN:
        case X509_V_ERR_CERT_REVOKED:
            if (is_root) break;
            return 0;
        default: return cjose_path_overlook(ok, ctx);
    }
    X509_STORE_CTX_set_error(ctx, X509_V_OK);
    return 1;
}

static cjose_chain_fault list_fault(int error) {
    switch (error) {
        case X509_V_ERR_CERT_REVOKED: return cjose_chain_revoked;
        case X509_V_ERR_CRL_HAS_EXPIRED:
        case X509_V_ERR_CRL_NOT_YET_VALID: return cjose_chain_status_outdated;
        case X509_V_ERR_UNABLE_TO_GET_CRL: return cjose_chain_status_unknown;
        case X509_V_ERR_OUT_OF_MEM:
        case X509_V_ERR_UNSPECIFIED: return cjose_chain_backend;
        default: return cjose_chain_status_untrusted;
    }
}

/// Narrows the period to that of every list by an issuer of the path that is valid at the time, and to the time before
/// the next list of theirs begins. libcrypto prefers valid lists, so that the ones it used are among them.
static void narrow_to_lists(
    STACK_OF(X509_CRL) *lists, STACK_OF(X509) *path, int64_t at, cjose_chain_period *period) {
    for (int i = 0; i < sk_X509_CRL_num(lists); i++) {
        const X509_CRL *list = sk_X509_CRL_value(lists, i);
        int64_t from, until;
        if (!times_of(list, &from, &until) || at >= until) continue;
        bool is_used = false;
        for (int j = 1; !is_used && j < sk_X509_num(path); j++)
            is_used = X509_NAME_cmp(X509_CRL_get_issuer(list), X509_get_subject_name(sk_X509_value(path, j))) == 0;
        if (!is_used) continue;
        if (at < from) {
            cjose_period_narrow(period, period->from, from);
        } else {
            cjose_period_narrow(period, from, until);
        }
    }
}

/// Verifies the path again, with the lists.
static cjose_chain_fault check_lists(
    const cjose_trust *trust, STACK_OF(X509) *path, STACK_OF(X509) *others, const cjose_chain_rules *rules,
    unlisted *without) {
    X509_STORE_CTX *ctx = cjose_path_new(trust, sk_X509_value(path, 0), others, rules);
    cjose_chain_fault fault = cjose_chain_backend;
    if (ctx != NULL && X509_STORE_CTX_set_ex_data(ctx, 0, without) == 1) {
        X509_STORE_CTX_set0_crls(ctx, rules->revocation->lists);
        X509_STORE_CTX_set_flags(ctx, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
        X509_STORE_CTX_set_verify_cb(ctx, note);
        bool valid = X509_verify_cert(ctx) == 1;
        int error = X509_STORE_CTX_get_error(ctx);
        fault = valid && error == X509_V_OK ? cjose_chain_ok : list_fault(error);
    }
    X509_STORE_CTX_free(ctx);
    return fault;
}

/// Checks the status of one certificate in all responses about it. A revocation counts before everything else, and a
/// good status before responses that are outdated or not trusted.
static cjose_chain_fault check_responses(
    const cjose_revocation *data, X509 *certificate, X509 *issuer, int64_t at, bool *is_good,
    cjose_chain_period *period) {
    cjose_chain_fault fault = cjose_chain_ok;
    *is_good = false;
    for (size_t i = 0; i < data->response_count; i++) {
        switch (cjose_ocsp_status(data->responses[i], certificate, issuer, at, period)) {
            case cjose_ocsp_ok: *is_good = true; break;
            case cjose_ocsp_revoked: return cjose_chain_revoked;
            case cjose_ocsp_other_certificate: break;
            case cjose_ocsp_unknown: fault = cjose_chain_status_unknown; break;
            case cjose_ocsp_stale: fault = cjose_chain_status_outdated; break;
            case cjose_ocsp_malformed:
            case cjose_ocsp_responder:
            case cjose_ocsp_signature: fault = cjose_chain_status_untrusted; break;
            case cjose_ocsp_backend: return cjose_chain_backend;
        }
    }
    return *is_good ? cjose_chain_ok : fault;
}

cjose_chain_fault cjose_path_check_revocation(
    const cjose_trust *trust, STACK_OF(X509) *path, STACK_OF(X509) *others, const cjose_chain_rules *rules,
    cjose_chain_period *period) {
    const cjose_revocation *data = rules->revocation;
    unlisted without = {0};
    bool has_lists = sk_X509_CRL_num(data->lists) > 0;
    if (has_lists) {
        cjose_chain_fault fault = check_lists(trust, path, others, rules, &without);
        if (fault != cjose_chain_ok) return fault;
        narrow_to_lists(data->lists, path, rules->at, period);
    }
    for (int i = 0; i < sk_X509_num(path) - 1; i++) {
        bool is_good;
        cjose_chain_fault fault = check_responses(
            data, sk_X509_value(path, i), sk_X509_value(path, i + 1), rules->at, &is_good, period);
        if (fault != cjose_chain_ok) return fault;
        bool is_listed = has_lists && i < max_depths && (without.depths >> i & 1) == 0;
        if (rules->requires_status && !is_good && !is_listed) return cjose_chain_status_unknown;
    }
    return cjose_chain_ok;
}
