#include <openssl/x509v3.h>

#include "cert.h"

/// The security level of 112 bits: RSA of at least 2 048 bits, and no signature over SHA-1 or weaker except that of a
/// root by itself.
#define AUTH_LEVEL 2

cjose_status cjose_trust_new(const cjose_certificate *const *roots, size_t count, cjose_trust **out) {
    *out = NULL;
    X509_STORE *store = X509_STORE_new();
    bool ok = store != NULL;
    for (size_t i = 0; ok && i < count; i++) ok = X509_STORE_add_cert(store, cjose_x509(roots[i])) == 1;
    if (!ok) {
        X509_STORE_free(store);
        return cjose_failed(cjose_status_backend);
    }
    *out = (cjose_trust *)store;
    return cjose_status_ok;
}

void cjose_trust_free(cjose_trust *trust) { X509_STORE_free((X509_STORE *)trust); }

/// Ignores what the strict profile requires beyond what a path needs: a root is a name and a key (RFC 5280, 6.1.1), and
/// key identifiers only help to find the path.
int cjose_path_overlook(int ok, X509_STORE_CTX *ctx) {
    if (ok) return ok;
    int count = sk_X509_num(X509_STORE_CTX_get0_chain(ctx));
    bool is_root = X509_STORE_CTX_get_error_depth(ctx) == count - 1;
    switch (X509_STORE_CTX_get_error(ctx)) {
        case X509_V_ERR_MISSING_AUTHORITY_KEY_IDENTIFIER:
        case X509_V_ERR_MISSING_SUBJECT_KEY_IDENTIFIER:
        case X509_V_ERR_AUTHORITY_KEY_IDENTIFIER_CRITICAL:
        case X509_V_ERR_SUBJECT_KEY_IDENTIFIER_CRITICAL: break;
        case X509_V_ERR_CA_BCONS_NOT_CRITICAL:
        case X509_V_ERR_CA_CERT_MISSING_KEY_USAGE:
            if (is_root) break;
            return 0;
        default: return 0;
    }
    X509_STORE_CTX_set_error(ctx, X509_V_OK);
    return 1;
}

static cjose_chain_fault fault_of(int error) {
    switch (error) {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
        case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        case X509_V_ERR_CERT_UNTRUSTED:
        case X509_V_ERR_CERT_REJECTED: return cjose_chain_untrusted;
        case X509_V_ERR_CERT_CHAIN_TOO_LONG: return cjose_chain_too_long;
        case X509_V_ERR_CERT_HAS_EXPIRED: return cjose_chain_expired;
        case X509_V_ERR_CERT_NOT_YET_VALID: return cjose_chain_not_yet_valid;
        case X509_V_ERR_INVALID_CA:
        case X509_V_ERR_INVALID_NON_CA:
        case X509_V_ERR_PATH_LENGTH_EXCEEDED:
        case X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
        case X509_V_ERR_CA_CERT_MISSING_KEY_USAGE:
        case X509_V_ERR_CA_BCONS_NOT_CRITICAL:
        case X509_V_ERR_PATHLEN_INVALID_FOR_NON_CA:
        case X509_V_ERR_PATHLEN_WITHOUT_KU_KEY_CERT_SIGN: return cjose_chain_authority;
        case X509_V_ERR_PERMITTED_VIOLATION:
        case X509_V_ERR_EXCLUDED_VIOLATION:
        case X509_V_ERR_SUBTREE_MINMAX:
        case X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE:
        case X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX:
        case X509_V_ERR_UNSUPPORTED_NAME_SYNTAX: return cjose_chain_name_constraint;
        case X509_V_ERR_EE_KEY_TOO_SMALL:
        case X509_V_ERR_CA_KEY_TOO_SMALL:
        case X509_V_ERR_CA_MD_TOO_WEAK:
        case X509_V_ERR_EC_KEY_EXPLICIT_PARAMS: return cjose_chain_weak;
        case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION: return cjose_chain_critical;
        case X509_V_ERR_CERT_SIGNATURE_FAILURE:
        case X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE:
        case X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY:
        case X509_V_ERR_SIGNATURE_ALGORITHM_MISMATCH:
        case X509_V_ERR_SIGNATURE_ALGORITHM_INCONSISTENCY:
        case X509_V_ERR_UNSUPPORTED_SIGNATURE_ALGORITHM: return cjose_chain_signature;
        case X509_V_ERR_OUT_OF_MEM:
        case X509_V_ERR_STORE_LOOKUP:
        case X509_V_ERR_UNSPECIFIED: return cjose_chain_backend;
        default: return cjose_chain_profile;
    }
}

bool cjose_x509_is_for(X509 *x509, const ASN1_OBJECT *wanted, bool any_suffices) {
    int critical = -1;
    EXTENDED_KEY_USAGE *usages = X509_get_ext_d2i(x509, NID_ext_key_usage, &critical, NULL);
    // The value -1 stands for a missing extension; other failures are extensions that cannot be read or are duplicates.
    if (usages == NULL) return any_suffices && critical == -1;
    bool found = false;
    for (int i = 0; !found && i < sk_ASN1_OBJECT_num(usages); i++) {
        const ASN1_OBJECT *usage = sk_ASN1_OBJECT_value(usages, i);
        found = OBJ_cmp(usage, wanted) == 0 || (any_suffices && OBJ_obj2nid(usage) == NID_anyExtendedKeyUsage);
    }
    EXTENDED_KEY_USAGE_free(usages);
    return found;
}

static bool usages_are_valid(STACK_OF(X509) *path, const char *extended_usage) {
    ASN1_OBJECT *wanted = OBJ_txt2obj(extended_usage, 1);
    bool valid = wanted != NULL && cjose_x509_is_for(sk_X509_value(path, 0), wanted, false);
    for (int i = 1; valid && i < sk_X509_num(path) - 1; i++)
        valid = cjose_x509_is_for(sk_X509_value(path, i), wanted, true);
    ASN1_OBJECT_free(wanted);
    return valid;
}

static bool host_matches(X509 *leaf, cjose_bytes host) {
    // A leading dot would stand for every name below it, and a zero byte at the end would be ignored.
    const char *name = host.at;
    return name[0] != '.' && memchr(name, 0, host.count) == NULL
        && X509_check_host(
               leaf, name, host.count, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL)
        == 1;
}

static cjose_chain_fault leaf_fault(X509_STORE_CTX *ctx, X509 *leaf, const cjose_chain_rules *rules) {
    // All bits are set where the certificate has no such extension.
    if (rules->usage != 0 && (X509_get_key_usage(leaf) & rules->usage) == 0) return cjose_chain_usage;
    if (rules->extended_usage != NULL && !usages_are_valid(X509_STORE_CTX_get0_chain(ctx), rules->extended_usage))
        return cjose_chain_usage;
    if (rules->host.at != NULL && rules->host.count > 0 && !host_matches(leaf, rules->host)) return cjose_chain_host;
    return cjose_chain_ok;
}

X509_STORE_CTX *cjose_path_new(
    const cjose_trust *trust, X509 *leaf, STACK_OF(X509) *others, const cjose_chain_rules *rules) {
    X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    if (ctx == NULL) return NULL;
    if (X509_STORE_CTX_init(ctx, (X509_STORE *)trust, leaf, others) == 1) {
        X509_VERIFY_PARAM *param = X509_STORE_CTX_get0_param(ctx);
        X509_VERIFY_PARAM_set_time(param, (time_t)rules->at);
        X509_VERIFY_PARAM_set_auth_level(param, AUTH_LEVEL);
        // The depth counts the certificates between the leaf and the root.
        X509_VERIFY_PARAM_set_depth(param, rules->max_certificates > 2 ? rules->max_certificates - 2 : 0);
        X509_STORE_CTX_set_verify_cb(ctx, cjose_path_overlook);
        if (X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT | X509_V_FLAG_PARTIAL_CHAIN) == 1) return ctx;
    }
    X509_STORE_CTX_free(ctx);
    return NULL;
}

static bool period_of(STACK_OF(X509) *path, cjose_chain_period *period) {
    *period = (cjose_chain_period){INT64_MIN, INT64_MAX};
    for (int i = 0; i < sk_X509_num(path); i++) {
        int64_t from, until;
        X509 *one = sk_X509_value(path, i);
        if (!cjose_seconds(X509_get0_notBefore(one), &from) || !cjose_seconds(X509_get0_notAfter(one), &until))
            return false;
        cjose_period_narrow(period, from, until);
    }
    return sk_X509_num(path) > 0;
}

static cjose_chain_fault verify_once(
    const cjose_trust *trust, const cjose_certificate *const *chain, size_t count, const cjose_chain_rules *rules,
    cjose_chain_period *period) {
    if (count == 0 || cjose_too_long(count) || count > (size_t)rules->max_certificates) return cjose_chain_too_long;
    cjose_forget_errors();
    X509 *leaf = cjose_x509(chain[0]);
    STACK_OF(X509) *others = sk_X509_new_reserve(NULL, (int)count);
    bool ready = others != NULL;
    for (size_t i = 1; ready && i < count; i++) ready = sk_X509_push(others, cjose_x509(chain[i])) > 0;
    X509_STORE_CTX *ctx = ready ? cjose_path_new(trust, leaf, others, rules) : NULL;
    cjose_chain_fault fault = cjose_chain_backend;
    if (ctx != NULL) {
        bool valid = X509_verify_cert(ctx) == 1;
        int error = X509_STORE_CTX_get_error(ctx);
        fault = !valid ? fault_of(error) : error == X509_V_OK ? leaf_fault(ctx, leaf, rules) : cjose_chain_profile;
    }
    STACK_OF(X509) *path = fault == cjose_chain_ok ? X509_STORE_CTX_get0_chain(ctx) : NULL;
    if (fault == cjose_chain_ok && !period_of(path, period)) fault = cjose_chain_profile;
    // Long lists are hashed for paths that are valid without them only.
    if (fault == cjose_chain_ok && rules->revocation != NULL)
        fault = cjose_path_check_revocation(trust, path, others, rules, period);
    X509_STORE_CTX_free(ctx);
    sk_X509_free(others);
    // libcrypto also says of a path that it could not build for lack of memory that it is not trusted, for example.
    if (fault != cjose_chain_ok && cjose_refused(cjose_status_ok) != cjose_status_ok) fault = cjose_chain_backend;
    ERR_clear_error();
    return fault;
}

cjose_chain_fault cjose_chain_verify(
    const cjose_trust *trust, const cjose_certificate *const *chain, size_t count, const cjose_chain_rules *rules,
    cjose_chain_period *period) {
    cjose_chain_fault fault = verify_once(trust, chain, count, rules, period);
    // libcrypto does not leave a reason everywhere where it gets no memory: what it then reports is an invalid
    // signature, or an error that no rule of a path explains.
    bool may_be_memory = fault == cjose_chain_profile || fault == cjose_chain_signature;
    return may_be_memory ? verify_once(trust, chain, count, rules, period) : fault;
}
