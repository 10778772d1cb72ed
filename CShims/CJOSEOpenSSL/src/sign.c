#include <openssl/rsa.h>

#include "ecdsa_form.h"
#include "internal.h"

typedef struct row {
    cjose_hash hash;
    /// The padding of RSA; 0 for ECDSA, -1 for an algorithm that signs the message and not its hash.
    int padding;
    cjose_key_kind kind;
} row;

#define WHOLE (-1)

static const row rows[cjose_signature_count] = {
    [cjose_signature_rs256] = {cjose_hash_sha256, RSA_PKCS1_PADDING, cjose_key_kind_rsa},
    [cjose_signature_rs384] = {cjose_hash_sha384, RSA_PKCS1_PADDING, cjose_key_kind_rsa},
    [cjose_signature_rs512] = {cjose_hash_sha512, RSA_PKCS1_PADDING, cjose_key_kind_rsa},
    [cjose_signature_ps256] = {cjose_hash_sha256, RSA_PKCS1_PSS_PADDING, cjose_key_kind_rsa},
    [cjose_signature_ps384] = {cjose_hash_sha384, RSA_PKCS1_PSS_PADDING, cjose_key_kind_rsa},
    [cjose_signature_ps512] = {cjose_hash_sha512, RSA_PKCS1_PSS_PADDING, cjose_key_kind_rsa},
    [cjose_signature_es256] = {cjose_hash_sha256, 0, cjose_key_kind_p256},
    [cjose_signature_es384] = {cjose_hash_sha384, 0, cjose_key_kind_p384},
    [cjose_signature_es512] = {cjose_hash_sha512, 0, cjose_key_kind_p521},
    [cjose_signature_es256k] = {cjose_hash_sha256, 0, cjose_key_kind_secp256k1},
    [cjose_signature_ed448] = {cjose_hash_sha512, WHOLE, cjose_key_kind_ed448},
    [cjose_signature_ml_dsa_44] = {cjose_hash_sha512, WHOLE, cjose_key_kind_ml_dsa_44},
    [cjose_signature_ml_dsa_65] = {cjose_hash_sha512, WHOLE, cjose_key_kind_ml_dsa_65},
    [cjose_signature_ml_dsa_87] = {cjose_hash_sha512, WHOLE, cjose_key_kind_ml_dsa_87},
};

static bool ready(cjose_job *job, const cjose_key *key, int work) {
    bool signing = work >= cjose_work_sign;
    const row *row = &rows[signing ? work - cjose_work_sign : work - cjose_work_verify];
    const EVP_MD *md = cjose_library_get()->md[row->hash];
    if (md == NULL) return false;
    if (signing ? EVP_PKEY_sign_init(job->ctx) != 1 : EVP_PKEY_verify_init(job->ctx) != 1) return false;
    if (row->padding != 0 && EVP_PKEY_CTX_set_rsa_padding(job->ctx, row->padding) != 1) return false;
    if (EVP_PKEY_CTX_set_signature_md(job->ctx, md) != 1) return false;
    if (row->padding == RSA_PKCS1_PSS_PADDING) {
        // RFC 7518, 3.5: MGF1 with the same hash, a salt as long as the hash; never what libcrypto finds in the data.
        if (EVP_PKEY_CTX_set_rsa_mgf1_md(job->ctx, md) != 1) return false;
        if (EVP_PKEY_CTX_set_rsa_pss_saltlen(job->ctx, (int)cjose_hash_size(row->hash)) != 1) return false;
    }
    // libcrypto's own call spends a fifth of its time around the multiplications. A key that a provider keeps is used through the
    // provider.
    if (!signing && row->padding != 0 && key->half == NULL) job->power = cjose_rsa_power_new(job->pkey);
    return (job->md = EVP_MD_CTX_new()) != NULL && EVP_DigestInit_ex2(job->md, md, NULL) == 1;
}

/// Writes the digest to be signed: the hash of `in` by `md`, which is ready for data, or `in` where it is a digest.
static bool prepare(EVP_MD_CTX *md, const void *in, size_t n, bool is_digest, uint8_t *out) {
    if (!is_digest) return EVP_DigestUpdate(md, in, n) == 1 && EVP_DigestFinal_ex(md, out, NULL) == 1;
    memcpy(out, in, n);
    return true;
}

static bool restart(EVP_MD_CTX *md) { return EVP_DigestInit_ex2(md, NULL, NULL) == 1; }

bool cjose_signature_hash(cjose_signature algorithm, cjose_hash *out) {
    *out = rows[algorithm].hash;
    return rows[algorithm].padding != WHOLE;
}

static size_t signature_size(const cjose_key *key) {
    const cjose_curve *curve = cjose_curve_of(key->kind);
    return curve != NULL ? 2 * curve->field : cjose_modulus_size(key);
}

#if defined(CJOSE_ACCELERATED)
/// Checks the encoded message of a signature over `digest`, as long as the modulus. It is overwritten.
static cjose_status check_encoded(
    const cjose_key *key, EVP_MD_CTX *md, const row *row, const uint8_t *digest, uint8_t *encoded, size_t size) {
    return row->padding == RSA_PKCS1_PADDING ? cjose_pkcs1_check(row->hash, digest, encoded, size)
                                             : cjose_pss_check(row->hash, md, digest, encoded, size, key->bits);
}

/// Verifies an RSA signature as long as the modulus with the kernels. `unsupported` where they do not cover the key.
static cjose_status verify_by_kernel(
    const cjose_key *key, const row *row, const void *in, size_t n, bool is_digest, const void *signature, size_t size) {
    const cjose_kernel_rsa_key *kernel = cjose_rsa_kernel_of(key);
    if (kernel == NULL) return cjose_status_unsupported;
    uint8_t digest[64], encoded[cjose_rsa_max_bytes];
    switch (cjose_kernel_rsa_power_single(kernel, signature, encoded)) {
    case cjose_kernel_valid: break;
    case cjose_kernel_invalid: return cjose_status_invalid;
    default: return cjose_status_unsupported;
    }
    EVP_MD_CTX *md = cjose_digest_take(row->hash);
    if (md == NULL) return cjose_status_backend;
    cjose_status status = cjose_status_backend;
    if (prepare(md, in, n, is_digest, digest)) status = check_encoded(key, md, row, digest, encoded, size);
    cjose_digest_give(row->hash, md);
    return status;
}
#endif

/// Verifies a signature over `digest` with a context that is ready for the algorithm.
static cjose_status check(
    const cjose_key *key, cjose_job *job, const row *row, const uint8_t *digest, const void *signature, size_t size) {
#if defined(CJOSE_ACCELERATED)
    if (job->power != NULL) {
        uint8_t encoded[cjose_rsa_max_bytes];
        cjose_status status = cjose_rsa_power_raise(job->power, signature, size, encoded);
        return status == cjose_status_ok ? check_encoded(key, job->md, row, digest, encoded, size) : status;
    }
#endif
    cjose_forget_errors();
    size_t digest_size = cjose_hash_size(row->hash);
    if (key->kind == cjose_key_kind_rsa && key->half == NULL)
        return cjose_rsa_verdict(EVP_PKEY_verify(job->ctx, signature, size, digest, digest_size) == 1);
    return cjose_verdict(EVP_PKEY_verify(job->ctx, signature, size, digest, digest_size));
}

static cjose_status verify(
    const cjose_key *key, cjose_signature algorithm, const void *in, size_t n, bool is_digest, const void *signature,
    size_t signature_len) {
    const row *row = &rows[algorithm];
    if (key->kind != row->kind) return cjose_status_key_invalid;
    if (cjose_too_long(n) || signature_len != signature_size(key)) return cjose_status_invalid;
    uint8_t der[CJOSE_ECDSA_DER_MAX];
    if (row->padding == 0) {
        size_t der_len = cjose_ecdsa_to_der(signature, signature_len / 2, der);
        signature = der;
        signature_len = der_len;
    }
#if defined(CJOSE_ACCELERATED)
    cjose_status by_kernel = verify_by_kernel(key, row, in, n, is_digest, signature, signature_len);
    if (by_kernel != cjose_status_unsupported)
        return by_kernel == cjose_status_ok ? by_kernel : cjose_failed(by_kernel);
#endif
    int work = cjose_work_verify + (int)algorithm;
    cjose_job *job = cjose_job_take(key, work, ready);
    if (job == NULL) return cjose_failed(cjose_status_backend);
    uint8_t digest[64];
    cjose_status status = cjose_status_backend;
    if ((is_digest || restart(job->md)) && prepare(job->md, in, n, is_digest, digest))
        status = check(key, job, row, digest, signature, signature_len);
    cjose_job_give(key, work, job);
    return status == cjose_status_ok ? status : cjose_failed(status);
}

cjose_status cjose_verify(
    const cjose_key *key, cjose_signature algorithm, const void *in, size_t n, const void *signature,
    size_t signature_len) {
    const row *row = &rows[algorithm];
    if (row->padding == WHOLE) return cjose_message_verify(key, row->kind, in, n, signature, signature_len);
    return verify(key, algorithm, in, n, false, signature, signature_len);
}

cjose_status cjose_verify_digest(
    const cjose_key *key, cjose_signature algorithm, const void *digest, size_t digest_len, const void *signature,
    size_t signature_len) {
    if (rows[algorithm].padding == WHOLE) return cjose_status_unsupported;
    if (digest_len != cjose_hash_size(rows[algorithm].hash)) return cjose_status_invalid;
    return verify(key, algorithm, digest, digest_len, true, signature, signature_len);
}

cjose_status cjose_verify_salt(
    const cjose_key *key, cjose_signature algorithm, size_t salt_len, const void *in, size_t n, const void *signature,
    size_t signature_len) {
    const row *row = &rows[algorithm];
    if (row->padding != RSA_PKCS1_PSS_PADDING || key->kind != row->kind) return cjose_status_key_invalid;
    if (cjose_too_long(n) || cjose_too_long(salt_len) || signature_len != cjose_modulus_size(key))
        return cjose_status_invalid;
    uint8_t digest[64];
    cjose_status status = cjose_digest(row->hash, in, n, digest);
    if (status != cjose_status_ok) return status;
    const EVP_MD *md = cjose_library_get()->md[row->hash];
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key->pkey, NULL);
    status = cjose_status_backend;
    if (ctx != NULL && md != NULL && EVP_PKEY_verify_init(ctx) == 1
        && EVP_PKEY_CTX_set_rsa_padding(ctx, row->padding) == 1 && EVP_PKEY_CTX_set_signature_md(ctx, md) == 1
        && EVP_PKEY_CTX_set_rsa_mgf1_md(ctx, md) == 1
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, (int)salt_len) == 1) {
        cjose_forget_errors();
        status = cjose_rsa_verdict(
            EVP_PKEY_verify(ctx, signature, signature_len, digest, cjose_hash_size(row->hash)) == 1);
    }
    EVP_PKEY_CTX_free(ctx);
    return status == cjose_status_ok ? status : cjose_failed(status);
}

static cjose_status sign(
    const cjose_key *key, cjose_signature algorithm, const void *in, size_t n, bool is_digest, void *out,
    size_t capacity, size_t *out_len) {
    const row *row = &rows[algorithm];
    if (key->kind != row->kind || !key->is_private) return cjose_status_key_invalid;
    size_t size = signature_size(key);
    if (cjose_too_long(n) || capacity < size) return cjose_status_invalid;
    int work = cjose_work_sign + (int)algorithm;
    cjose_job *job = cjose_job_take(key, work, ready);
    if (job == NULL) return cjose_failed(cjose_status_backend);
    uint8_t digest[64], der[CJOSE_ECDSA_DER_MAX];
    bool is_ecdsa = row->padding == 0;
    size_t made = is_ecdsa ? sizeof der : capacity;
    bool ok = (is_digest || restart(job->md)) && prepare(job->md, in, n, is_digest, digest)
        && EVP_PKEY_sign(job->ctx, is_ecdsa ? der : out, &made, digest, cjose_hash_size(row->hash)) == 1
        && (is_ecdsa ? cjose_ecdsa_from_der(der, made, size / 2, out) : made == size);
    if (!ok) {
        cjose_job_free(job);
        return cjose_failed(cjose_status_backend);
    }
    cjose_job_give(key, work, job);
    *out_len = size;
    return cjose_status_ok;
}

cjose_status cjose_sign(
    const cjose_key *key, cjose_signature algorithm, const void *in, size_t n, void *out, size_t capacity,
    size_t *out_len) {
    const row *row = &rows[algorithm];
    if (row->padding == WHOLE) return cjose_message_sign(key, row->kind, in, n, out, capacity, out_len);
    return sign(key, algorithm, in, n, false, out, capacity, out_len);
}

cjose_status cjose_sign_digest(
    const cjose_key *key, cjose_signature algorithm, const void *digest, size_t digest_len, void *out, size_t capacity,
    size_t *out_len) {
    if (rows[algorithm].padding == WHOLE) return cjose_status_unsupported;
    if (digest_len != cjose_hash_size(rows[algorithm].hash)) return cjose_status_invalid;
    return sign(key, algorithm, digest, digest_len, true, out, capacity, out_len);
}

bool cjose_signature_available(cjose_signature algorithm) {
    if (rows[algorithm].padding != WHOLE) return true;
    EVP_SIGNATURE *found = EVP_SIGNATURE_fetch(NULL, cjose_raw_of(rows[algorithm].kind)->name, NULL);
    EVP_SIGNATURE_free(found);
    if (found == NULL) ERR_clear_error();
    return found != NULL;
}
