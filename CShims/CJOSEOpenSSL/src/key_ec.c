#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>

#include "internal.h"

static EVP_PKEY *build_pair(const cjose_curve *curve, const uint8_t *point, const BIGNUM *d) {
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    bool ok = builder != NULL
        && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve->name, 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 1 + 2 * curve->field) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, d) == 1;
    OSSL_PARAM *params = ok ? OSSL_PARAM_BLD_to_param(builder) : NULL;
    EVP_PKEY_CTX *ctx = params != NULL ? EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL) : NULL;
    EVP_PKEY *made = NULL;
    if (ctx == NULL || EVP_PKEY_fromdata_init(ctx) != 1 || EVP_PKEY_fromdata(ctx, &made, EVP_PKEY_KEYPAIR, params) != 1)
        made = NULL;
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    return made;
}

EVP_PKEY *cjose_curve_key(cjose_key_kind kind) {
    EVP_PKEY *of = cjose_library_get()->curve[kind];
    return of != NULL ? EVP_PKEY_dup(of) : NULL;
}

/// Creates a public key in a third of the time of the generic way, which constructs the curve again. libcrypto accepts
/// only an encoding with coordinates below the prime, of a point on the curve; this one cannot be infinity.
static EVP_PKEY *build_public(cjose_key_kind kind, const uint8_t *point, size_t point_len) {
    EVP_PKEY *made = cjose_curve_key(kind);
    if (made != NULL && EVP_PKEY_set1_encoded_public_key(made, point, point_len) == 1) return made;
    EVP_PKEY_free(made);
    return NULL;
}

/// Checks that the coordinates are below the prime, the point is on the curve and not at infinity, 0 < d < n, and d*G =
/// Q.
static bool pair_is_valid(EVP_PKEY *pkey) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, pkey, NULL);
    bool ok = ctx != NULL && EVP_PKEY_public_check_quick(ctx) == 1 && EVP_PKEY_private_check(ctx) == 1
        && EVP_PKEY_pairwise_check(ctx) == 1;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static cjose_status make(cjose_key_kind kind, cjose_bytes x, cjose_bytes y, cjose_bytes d, cjose_key **out) {
    *out = NULL;
    const cjose_curve *curve = cjose_curve_of(kind);
    if (curve == NULL) return cjose_status_unsupported;
    if (x.count != curve->field || y.count != curve->field || (d.count != 0 && d.count != curve->field))
        return cjose_status_key_invalid;
    cjose_forget_errors();
    uint8_t point[1 + 2 * 66] = {4};
    memcpy(point + 1, x.at, x.count);
    memcpy(point + 1 + x.count, y.at, y.count);
    EVP_PKEY *made = NULL;
    if (d.count == 0) {
        made = build_public(kind, point, 1 + 2 * curve->field);
    } else {
        BIGNUM *secret = BN_secure_new();
        if (secret != NULL && BN_bin2bn(d.at, (int)d.count, secret) != NULL) made = build_pair(curve, point, secret);
        BN_clear_free(secret);
    }
    if (made == NULL || (d.count != 0 && !pair_is_valid(made))) {
        EVP_PKEY_free(made);
        return cjose_refused(cjose_status_key_invalid);
    }
    return cjose_key_wrap(made, kind, d.count != 0, out);
}

cjose_status cjose_key_ec_new(cjose_key_kind kind, cjose_bytes x, cjose_bytes y, cjose_bytes d, cjose_key **out) {
    cjose_status status = make(kind, x, y, d, out);
    // libcrypto 3.0 leaves no reason where it got no memory for a point.
    return status == cjose_status_key_invalid ? make(kind, x, y, d, out) : status;
}
