#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include "rsa_numbers.h"

static BIGNUM *number(cjose_bytes bytes, bool secret) {
    if (bytes.count > 1100) return NULL;
    BIGNUM *made = secret ? BN_secure_new() : BN_new();
    if (made == NULL || BN_bin2bn(bytes.at, (int)bytes.count, made) == NULL) {
        BN_clear_free(made);
        return NULL;
    }
    if (secret) BN_set_flags(made, BN_FLG_CONSTTIME);
    return made;
}

static void numbers_free(cjose_rsa *rsa) {
    BN_free(rsa->n);
    BN_free(rsa->e);
    BIGNUM *const secrets[] = {rsa->d, rsa->p, rsa->q, rsa->dp, rsa->dq, rsa->qi};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) BN_clear_free(secrets[i]);
}

static EVP_PKEY *build(const cjose_rsa *rsa) {
    const struct {
        const char *name;
        const BIGNUM *value;
    } parts[] = {
        {OSSL_PKEY_PARAM_RSA_N, rsa->n}, {OSSL_PKEY_PARAM_RSA_E, rsa->e}, {OSSL_PKEY_PARAM_RSA_D, rsa->d},
        {OSSL_PKEY_PARAM_RSA_FACTOR1, rsa->p}, {OSSL_PKEY_PARAM_RSA_FACTOR2, rsa->q},
        {OSSL_PKEY_PARAM_RSA_EXPONENT1, rsa->dp}, {OSSL_PKEY_PARAM_RSA_EXPONENT2, rsa->dq},
        {OSSL_PKEY_PARAM_RSA_COEFFICIENT1, rsa->qi},
    };
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    bool ok = builder != NULL;
    for (size_t i = 0; ok && i < (rsa->d != NULL ? 8 : 2); i++)
        ok = OSSL_PARAM_BLD_push_BN(builder, parts[i].name, parts[i].value) == 1;
    OSSL_PARAM *params = ok ? OSSL_PARAM_BLD_to_param(builder) : NULL;
    EVP_PKEY_CTX *ctx = params != NULL ? EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL) : NULL;
    EVP_PKEY *made = NULL;
    int selection = rsa->d != NULL ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;
    if (ctx == NULL || EVP_PKEY_fromdata_init(ctx) != 1 || EVP_PKEY_fromdata(ctx, &made, selection, params) != 1)
        made = NULL;
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    return made;
}

static cjose_status public_fits(const cjose_rsa *rsa) {
    if (!BN_is_odd(rsa->n) || BN_num_bits(rsa->n) > 8192) return cjose_status_key_invalid;
    if (BN_num_bits(rsa->n) < 2048) return cjose_status_key_too_small;
    // 2^33 itself is even.
    bool fits = BN_is_odd(rsa->e) && !BN_is_one(rsa->e) && BN_num_bits(rsa->e) <= 33;
    return fits ? cjose_status_ok : cjose_status_key_invalid;
}

cjose_status cjose_key_rsa_new(
    cjose_bytes n, cjose_bytes e, cjose_bytes d, cjose_bytes p, cjose_bytes q, cjose_bytes dp, cjose_bytes dq,
    cjose_bytes qi, cjose_key **out) {
    *out = NULL;
    int given = (p.count != 0) + (q.count != 0) + (dp.count != 0) + (dq.count != 0) + (qi.count != 0);
    bool is_private = d.count != 0;
    if (given != 0 && (given != 5 || !is_private)) return cjose_status_key_invalid;
    cjose_forget_errors();
    cjose_rsa rsa = {number(n, false), number(e, false), NULL, NULL, NULL, NULL, NULL, NULL};
    cjose_status status = rsa.n != NULL && rsa.e != NULL ? public_fits(&rsa) : cjose_status_key_invalid;
    if (status == cjose_status_ok && is_private) {
        rsa.d = number(d, true);
        rsa.p = number(p, true);
        rsa.q = number(q, true);
        rsa.dp = number(dp, true);
        rsa.dq = number(dq, true);
        rsa.qi = number(qi, true);
        bool read = rsa.d != NULL && rsa.p != NULL && rsa.q != NULL && rsa.dp != NULL && rsa.dq != NULL
            && rsa.qi != NULL;
        bool whole = read && (given == 5 || cjose_rsa_recover(&rsa)) && cjose_rsa_consistent(&rsa);
        if (!whole) status = cjose_status_key_invalid;
    }
    EVP_PKEY *made = status == cjose_status_ok ? build(&rsa) : NULL;
    numbers_free(&rsa);
    if (status != cjose_status_ok) return cjose_refused(status);
    if (made == NULL) return cjose_refused(cjose_status_key_invalid);
    return cjose_key_wrap(made, cjose_key_kind_rsa, is_private, out);
}

cjose_status cjose_key_rsa_generate(int32_t bits, cjose_key **out) {
    *out = NULL;
    if (bits < 2048) return cjose_status_key_too_small;
    if (bits > 8192 || bits % 8 != 0) return cjose_status_key_invalid;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    EVP_PKEY *made = NULL;
    if (ctx == NULL || EVP_PKEY_keygen_init(ctx) != 1 || EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, bits) != 1
        || EVP_PKEY_generate(ctx, &made) != 1)
        made = NULL;
    EVP_PKEY_CTX_free(ctx);
    return made != NULL ? cjose_key_wrap(made, cjose_key_kind_rsa, true, out) : cjose_failed(cjose_status_backend);
}
