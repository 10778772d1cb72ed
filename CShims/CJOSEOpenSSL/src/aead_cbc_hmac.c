#include "aead.h"

/// One half of the CEK (RFC 7518, 5.2.2.1): the first is the MAC's, the second the cipher's.
typedef struct half {
    cjose_hash hash;
    size_t size;
} half;
static const half halves[3] = {{cjose_hash_sha256, 16}, {cjose_hash_sha384, 24}, {cjose_hash_sha512, 32}};

static cjose_pool_handle ciphers[2][3];
static cjose_pool_handle macs[3];

/// Computes the complete MAC of aad || iv || ciphertext || AL.
static bool authenticate(
    int size, const void *key, const void *aad, size_t aad_len, const void *iv, const void *text, size_t n,
    uint8_t *mac) {
    cjose_pool *pool = cjose_pool_at(&macs[size]);
    EVP_MAC_CTX *ctx = pool != NULL ? cjose_pool_take(pool) : NULL;
    if (ctx == NULL && (ctx = cjose_hmac_new(cjose_library_get()->hmac, halves[size].hash)) == NULL) return false;
    const uint64_t bits = (uint64_t)aad_len * 8;
    uint8_t al[8];
    for (int i = 0; i < 8; i++) al[i] = (uint8_t)(bits >> (56 - 8 * i));
    size_t whole = cjose_hash_size(halves[size].hash), made = 0;
    bool ok = EVP_MAC_init(ctx, key, halves[size].size, NULL) == 1 && EVP_MAC_update(ctx, aad, aad_len) == 1
        && EVP_MAC_update(ctx, iv, 16) == 1 && EVP_MAC_update(ctx, text, n) == 1 && EVP_MAC_update(ctx, al, 8) == 1
        && EVP_MAC_final(ctx, mac, &made, whole) == 1 && made == whole;
    if (pool == NULL || EVP_MAC_init(ctx, cjose_zeros, halves[size].size, NULL) != 1 || !cjose_pool_give(pool, ctx))
        EVP_MAC_CTX_free(ctx);
    return ok;
}

static EVP_CIPHER_CTX *take(int size, int sealing, const void *key, const void *iv) {
    cjose_pool *pool = cjose_pool_at(&ciphers[sealing][size]);
    EVP_CIPHER_CTX *ctx = pool != NULL ? cjose_pool_take(pool) : NULL;
    const EVP_CIPHER *cipher = NULL;
    if (ctx == NULL) {
        cipher = cjose_library_get()->cbc[size];
        if (cipher == NULL || (ctx = EVP_CIPHER_CTX_new()) == NULL) return NULL;
    }
    // The padding is added and removed here: libcrypto's would keep the last block of plaintext in the context.
    if (EVP_CipherInit_ex2(ctx, cipher, key, iv, sealing, NULL) == 1 && EVP_CIPHER_CTX_set_padding(ctx, 0) == 1)
        return ctx;
    EVP_CIPHER_CTX_free(ctx);
    return NULL;
}

static void give(int size, int sealing, EVP_CIPHER_CTX *ctx) {
    cjose_pool *pool = cjose_pool_at(&ciphers[sealing][size]);
    if (pool != NULL && EVP_CipherInit_ex2(ctx, NULL, cjose_zeros, NULL, sealing, NULL) == 1
        && cjose_pool_give(pool, ctx))
        return;
    EVP_CIPHER_CTX_free(ctx);
}

static bool update(EVP_CIPHER_CTX *ctx, void *out, const void *in, size_t n) {
    int written = 0;
    return n == 0 || (EVP_CipherUpdate(ctx, out, &written, in, (int)n) == 1 && written >= 0 && (size_t)written == n);
}

cjose_status cjose_cbc_hmac_seal(int size, const cjose_sealing *job, size_t *out_len) {
    const uint8_t *cek = job->cek;
    size_t whole = job->n / 16 * 16, remainder = job->n - whole;
    uint8_t last[16], mac[64];
    memset(last, (int)(16 - remainder), sizeof last);
    if (remainder != 0) memcpy(last, (const uint8_t *)job->in + whole, remainder);
    EVP_CIPHER_CTX *ctx = take(size, 1, cek + halves[size].size, job->iv);
    bool ok = ctx != NULL && update(ctx, job->out, job->in, whole)
        && update(ctx, (uint8_t *)job->out + whole, last, sizeof last);
    if (ctx != NULL) give(size, 1, ctx);
    OPENSSL_cleanse(last, sizeof last);
    ok = ok && authenticate(size, cek, job->aad, job->aad_len, job->iv, job->out, whole + 16, mac);
    if (ok) memcpy(job->tag, mac, halves[size].size);
    OPENSSL_cleanse(mac, sizeof mac);
    *out_len = whole + 16;
    return ok ? cjose_status_ok : cjose_failed(cjose_status_backend);
}

/// Returns the length of the padding of PKCS #7 (RFC 5652, 6.3), or 0 where it is wrong, without a branch on its bytes.
static uint32_t padding(const uint8_t *last) {
    unsigned count = last[15], wrong = 0;
    for (unsigned i = 0; i < 16; i++) {
        unsigned inside = (unsigned)((int)(15 - i) - (int)count) >> 31;
        wrong |= inside * (unsigned)(last[i] ^ count);
    }
    wrong |= (count - 1u) >> 4;
    return count & (0u - cjose_is_zero(wrong));
}

cjose_status cjose_cbc_hmac_open(int size, const cjose_opening *job, size_t *out_len) {
    const uint8_t *cek = job->cek;
    if (job->n == 0 || job->n % 16 != 0) return cjose_status_invalid;
    uint8_t mac[64];
    bool made = authenticate(size, cek, job->aad, job->aad_len, job->iv, job->in, job->n, mac);
    bool valid = made && cjose_shown((uint32_t)CRYPTO_memcmp(mac, job->tag, halves[size].size)) == 0;
    OPENSSL_cleanse(mac, sizeof mac);
    if (!made) return cjose_failed(cjose_status_backend);
    if (!valid) return cjose_status_invalid;
    EVP_CIPHER_CTX *ctx = take(size, 0, cek + halves[size].size, job->iv);
    if (ctx == NULL) return cjose_failed(cjose_status_backend);
    bool ok = update(ctx, job->out, job->in, job->n);
    give(size, 0, ctx);
    // The tag is valid: whoever has the key wrote this.
    size_t pad = ok ? cjose_shown(padding((const uint8_t *)job->out + job->n - 16)) : 0;
    if (pad != 0) {
        *out_len = job->n - pad;
        return cjose_status_ok;
    }
    OPENSSL_cleanse(job->out, job->n);
    return cjose_failed(cjose_status_invalid);
}
