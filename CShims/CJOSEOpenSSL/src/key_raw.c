#include <openssl/core_names.h>

#include "internal.h"

/// Returns the row of a kind. The names of the parameters of 3.5 are spelled out, because the headers may be of 3.0.
const cjose_raw *cjose_raw_of(cjose_key_kind kind) {
    static const cjose_raw kinds[cjose_key_kind_count] = {
        [cjose_key_kind_ed25519] = {"ED25519", 32, 32, 64, OSSL_PKEY_PARAM_PRIV_KEY},
        [cjose_key_kind_x25519] = {"X25519", 32, 32, 0, OSSL_PKEY_PARAM_PRIV_KEY},
        [cjose_key_kind_ed448] = {"ED448", 57, 57, 114, OSSL_PKEY_PARAM_PRIV_KEY},
        [cjose_key_kind_x448] = {"X448", 56, 56, 0, OSSL_PKEY_PARAM_PRIV_KEY},
        [cjose_key_kind_ml_dsa_44] = {"ML-DSA-44", 1312, 32, 2420, "seed"},
        [cjose_key_kind_ml_dsa_65] = {"ML-DSA-65", 1952, 32, 3309, "seed"},
        [cjose_key_kind_ml_dsa_87] = {"ML-DSA-87", 2592, 32, 4627, "seed"},
    };
    return kinds[kind].name != NULL ? &kinds[kind] : NULL;
}

size_t cjose_key_raw_size(cjose_key_kind kind, bool is_private) {
    const cjose_raw *of = cjose_raw_of(kind);
    return of == NULL ? 0 : is_private ? of->private_size : of->public_size;
}

static cjose_status make(cjose_key_kind kind, cjose_bytes raw, bool is_private, cjose_key **out) {
    *out = NULL;
    const cjose_raw *of = cjose_raw_of(kind);
    if (of == NULL) return cjose_status_unsupported;
    if (raw.count != cjose_key_raw_size(kind, is_private)) return cjose_status_key_invalid;
    cjose_forget_errors();
    if (kind == cjose_key_kind_ed448 && !is_private && !cjose_ed448_point_is_valid(raw.at))
        return cjose_refused(cjose_status_key_invalid);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, of->name, NULL);
    if (ctx == NULL) return cjose_refused(cjose_status_unsupported);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(
            is_private ? of->private_name : OSSL_PKEY_PARAM_PUB_KEY, (void *)raw.at, raw.count),
        OSSL_PARAM_construct_end()};
    EVP_PKEY *made = NULL;
    int selection = is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;
    if (EVP_PKEY_fromdata_init(ctx) != 1 || EVP_PKEY_fromdata(ctx, &made, selection, params) != 1) made = NULL;
    EVP_PKEY_CTX_free(ctx);
    if (made == NULL) return cjose_refused(cjose_status_key_invalid);
    return cjose_key_wrap(made, kind, is_private, out);
}

cjose_status cjose_key_raw_new(cjose_key_kind kind, cjose_bytes raw, bool is_private, cjose_key **out) {
    cjose_status status = make(kind, raw, is_private, out);
    // libcrypto 3.0 leaves no reason where it got no memory for a number.
    return status == cjose_status_key_invalid ? make(kind, raw, is_private, out) : status;
}
