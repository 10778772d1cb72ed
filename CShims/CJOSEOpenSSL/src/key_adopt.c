#include <openssl/core_names.h>

#include "internal.h"

/// A part of a key between libcrypto's reading and our checks.
typedef struct part {
    uint8_t bytes[1100];
    size_t count;
} part;

static cjose_bytes bytes_of(const part *part) { return (cjose_bytes){part->bytes, part->count}; }

static cjose_status rsa(const cjose_key *read, bool is_private, cjose_key **out) {
    part parts[8];
    memset(parts, 0, sizeof parts);
    cjose_status status = cjose_status_ok;
    int wanted = is_private ? 8 : 2;
    for (int i = 0; status == cjose_status_ok && i < wanted; i++)
        status = cjose_key_part_get(
            read, (cjose_key_part)(cjose_key_part_rsa_n + i), parts[i].bytes, sizeof parts[i].bytes, &parts[i].count);
    if (status == cjose_status_ok)
        status = cjose_key_rsa_new(
            bytes_of(&parts[0]), bytes_of(&parts[1]), bytes_of(&parts[2]), bytes_of(&parts[3]), bytes_of(&parts[4]),
            bytes_of(&parts[5]), bytes_of(&parts[6]), bytes_of(&parts[7]), out);
    else if (status != cjose_status_backend)
        status = cjose_status_key_invalid;
    OPENSSL_cleanse(parts, sizeof parts);
    return status;
}

static cjose_status ec(const cjose_key *read, bool is_private, cjose_key **out) {
    part parts[3];
    memset(parts, 0, sizeof parts);
    cjose_status status = cjose_status_ok;
    for (int i = 0; status == cjose_status_ok && i < (is_private ? 3 : 2); i++)
        status = cjose_key_part_get(
            read, (cjose_key_part)(cjose_key_part_ec_x + i), parts[i].bytes, sizeof parts[i].bytes, &parts[i].count);
    if (status == cjose_status_ok)
        status = cjose_key_ec_new(read->kind, bytes_of(&parts[0]), bytes_of(&parts[1]), bytes_of(&parts[2]), out);
    else if (status != cjose_status_backend)
        status = cjose_status_key_invalid;
    OPENSSL_cleanse(parts, sizeof parts);
    return status;
}

static cjose_status raw(const cjose_key *read, bool is_private, cjose_key **out) {
    uint8_t bytes[2592];
    size_t count;
    cjose_key_part which = is_private ? cjose_key_part_raw_private : cjose_key_part_raw_public;
    cjose_status status = cjose_key_part_get(read, which, bytes, sizeof bytes, &count);
    if (status == cjose_status_ok)
        status = cjose_key_raw_new(read->kind, (cjose_bytes){bytes, count}, is_private, out);
    else if (status != cjose_status_backend)
        // A file of ML-DSA may hold the expanded key without its seed (RFC 9881, 6), which has no JWK.
        status = cjose_status_unsupported;
    if (is_private) OPENSSL_cleanse(bytes, sizeof bytes);
    return status;
}

static cjose_key_kind curve_of(EVP_PKEY *pkey) {
    char name[64];
    size_t length = 0;
    int is_explicit = 0;
    if (EVP_PKEY_get_group_name(pkey, name, sizeof name, &length) != 1) return cjose_key_kind_other;
    // A curve with explicit parameters may have a generator of the sender's choice.
    if (EVP_PKEY_get_int_param(pkey, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &is_explicit) == 1
        && is_explicit != 0)
        return cjose_key_kind_other;
    if (strcmp(name, "prime256v1") == 0 || strcmp(name, "P-256") == 0) return cjose_key_kind_p256;
    if (strcmp(name, "secp384r1") == 0 || strcmp(name, "P-384") == 0) return cjose_key_kind_p384;
    if (strcmp(name, "secp521r1") == 0 || strcmp(name, "P-521") == 0) return cjose_key_kind_p521;
    if (strcmp(name, "secp256k1") == 0) return cjose_key_kind_secp256k1;
    return cjose_key_kind_other;
}

static cjose_key_kind raw_kind_of(EVP_PKEY *pkey) {
    for (int kind = 0; kind < cjose_key_kind_count; kind++) {
        const cjose_raw *of = cjose_raw_of((cjose_key_kind)kind);
        if (of != NULL && EVP_PKEY_is_a(pkey, of->name) == 1) return (cjose_key_kind)kind;
    }
    return cjose_key_kind_other;
}

cjose_key_kind cjose_key_kind_in(EVP_PKEY *pkey) {
    if (EVP_PKEY_is_a(pkey, "RSA") == 1) return cjose_key_kind_rsa;
    if (EVP_PKEY_is_a(pkey, "EC") == 1) return curve_of(pkey);
    return raw_kind_of(pkey);
}

cjose_status cjose_key_adopt(EVP_PKEY *pkey, bool is_private, cjose_key **out) {
    cjose_forget_errors();
    cjose_key read = {.pkey = pkey, .kind = cjose_key_kind_in(pkey), .is_private = is_private};
    cjose_status status = cjose_status_unsupported;
    if (read.kind == cjose_key_kind_rsa)
        status = rsa(&read, is_private, out);
    else if (cjose_curve_of(read.kind) != NULL)
        status = ec(&read, is_private, out);
    else if (read.kind != cjose_key_kind_other)
        status = raw(&read, is_private, out);
    EVP_PKEY_free(pkey);
    return status == cjose_status_ok ? status : cjose_refused(status);
}
