#include <openssl/bn.h>
#include <openssl/core_names.h>

#include "internal.h"

static const char *name_of(cjose_key_part part) {
    static const char *const names[] = {
        [cjose_key_part_rsa_n] = OSSL_PKEY_PARAM_RSA_N,
        [cjose_key_part_rsa_e] = OSSL_PKEY_PARAM_RSA_E,
        [cjose_key_part_rsa_d] = OSSL_PKEY_PARAM_RSA_D,
        [cjose_key_part_rsa_p] = OSSL_PKEY_PARAM_RSA_FACTOR1,
        [cjose_key_part_rsa_q] = OSSL_PKEY_PARAM_RSA_FACTOR2,
        [cjose_key_part_rsa_dp] = OSSL_PKEY_PARAM_RSA_EXPONENT1,
        [cjose_key_part_rsa_dq] = OSSL_PKEY_PARAM_RSA_EXPONENT2,
        [cjose_key_part_rsa_qi] = OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
        [cjose_key_part_ec_x] = OSSL_PKEY_PARAM_EC_PUB_X,
        [cjose_key_part_ec_y] = OSSL_PKEY_PARAM_EC_PUB_Y,
        [cjose_key_part_ec_d] = OSSL_PKEY_PARAM_PRIV_KEY,
    };
    return names[part];
}

/// Writes the bytes directly to `out`: `EVP_PKEY_get_raw_private_key` leaves a copy behind in the heap.
static cjose_status raw_part(const cjose_key *key, cjose_key_part part, void *out, size_t capacity, size_t *out_len) {
    bool is_secret = part == cjose_key_part_raw_private;
    const char *name = is_secret ? cjose_raw_of(key->kind)->private_name : OSSL_PKEY_PARAM_PUB_KEY;
    bool ok = (!is_secret || key->is_private)
        && EVP_PKEY_get_octet_string_param(key->pkey, name, out, capacity, out_len) == 1;
    return ok ? cjose_status_ok : cjose_refused(cjose_status_key_invalid);
}

/// Writes the coordinates. Keys are created from uncompressed points, and return them so.
static cjose_status point(const cjose_key *key, void *out, size_t capacity, size_t *out_len) {
    const cjose_curve *curve = cjose_curve_of(key->kind);
    uint8_t encoded[1 + 2 * 66];
    size_t made = 0, size = curve != NULL ? 2 * curve->field : 0;
    if (curve == NULL || capacity < size) return cjose_status_key_invalid;
    if (EVP_PKEY_get_octet_string_param(key->pkey, OSSL_PKEY_PARAM_PUB_KEY, encoded, 1 + size, &made) != 1
        || made != 1 + size || encoded[0] != 4)
        return cjose_failed(cjose_status_backend);
    memcpy(out, encoded + 1, size);
    *out_len = size;
    return cjose_status_ok;
}

cjose_status cjose_key_part_get(
    const cjose_key *key, cjose_key_part part, void *out, size_t capacity, size_t *out_len) {
    *out_len = 0;
    if (key->half != NULL) return cjose_key_part_get(key->half, part, out, capacity, out_len);
    const cjose_curve *curve = cjose_curve_of(key->kind);
    if (part == cjose_key_part_ec_point) return point(key, out, capacity, out_len);
    if (part >= cjose_key_part_raw_public) {
        return cjose_raw_of(key->kind) != NULL ? raw_part(key, part, out, capacity, out_len) : cjose_status_key_invalid;
    }
    bool is_ec = part >= cjose_key_part_ec_x;
    bool is_secret = part == cjose_key_part_ec_d || (part >= cjose_key_part_rsa_d && part <= cjose_key_part_rsa_qi);
    if ((is_ec ? curve == NULL : key->kind != cjose_key_kind_rsa) || (is_secret && !key->is_private))
        return cjose_status_key_invalid;
    BIGNUM *value = is_secret ? BN_secure_new() : BN_new();
    cjose_status status = cjose_status_backend;
    if (value != NULL && EVP_PKEY_get_bn_param(key->pkey, name_of(part), &value) == 1) {
        size_t size = is_ec ? curve->field : (size_t)BN_num_bytes(value);
        if (size <= capacity && BN_bn2binpad(value, out, (int)size) == (int)size) {
            *out_len = size;
            status = cjose_status_ok;
        }
    }
    BN_clear_free(value);
    return status == cjose_status_ok ? status : cjose_failed(status);
}
