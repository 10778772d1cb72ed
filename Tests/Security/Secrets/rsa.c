// Decryption with a private RSA key. The input number is hidden, and with it all that is computed from it, such as the block
// with its padding. The key itself is not hidden, because libcrypto's big numbers branch on their lengths.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"

static EVP_PKEY *raw_key(const char *path) {
    FILE *file = fopen(path, "r");
    MUST(file != NULL);
    EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    (void)fclose(file);
    MUST(key != NULL && EVP_PKEY_get_size(key) == 256);
    return key;
}

static cjose_key *shim_key(const char *path) {
    char text[4096];
    FILE *file = fopen(path, "r");
    MUST(file != NULL);
    size_t n = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    cjose_key *key = NULL;
    MUST(cjose_key_pem_import((cjose_bytes){text, n}, (cjose_bytes){NULL, 0}, &key) == cjose_status_ok);
    return key;
}

/// Computes `block` to the power of e without padding.
static void power(EVP_PKEY *key, const uint8_t block[256], uint8_t out[256]) {
    size_t n = 256;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    MUST(ctx != NULL && EVP_PKEY_encrypt_init(ctx) == 1);
    MUST(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) == 1);
    MUST(EVP_PKEY_encrypt(ctx, out, &n, block, 256) == 1 && n == 256);
    EVP_PKEY_CTX_free(ctx);
}

/// Fills a block: 0x00 || 0x02 || 1... || 0x00 || 32 bytes of 7.
static void rsa15_block(uint8_t block[256]) {
    memset(block, 1, 256);
    memset(block + 224, 7, 32);
    block[0] = 0;
    block[1] = 2;
    block[223] = 0;
}

static bool rsa15(const char *path) {
    EVP_PKEY *raw = raw_key(path);
    cjose_key *key = shim_key(path);
    bool right = true;
    // `value` is written at `place`: the block is valid if it has that value there anyway.
    static const struct { int place; uint8_t value; } rows[] = {
        {0, 0}, {0, 1}, {1, 1}, {2, 0}, {9, 0}, {100, 0}, {222, 0}, {223, 9}, {223, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t block[256], good[256], text[256], out[32];
        rsa15_block(good);
        memcpy(block, good, sizeof block);
        block[rows[i].place] = rows[i].value;
        bool holds = memcmp(block, good, sizeof block) == 0;
        power(raw, block, text);
        memset(out, 0xA5, sizeof out);
        hide(out, sizeof out);
        hide(text, sizeof text);
        right = cjose_rsa15_decrypt(key, text, sizeof text, out, sizeof out) == cjose_status_ok && right;
        right = hidden(out, sizeof out) && right;
        show(out, sizeof out);
        for (size_t k = 0; k < sizeof out; k++) right = out[k] == (holds ? 7 : 0xA5) && right;
    }
    cjose_key_free(key);
    EVP_PKEY_free(raw);
    return right;
}

static bool oaep_of(cjose_hash hash, EVP_PKEY *raw, const cjose_key *key, uint8_t text[256], size_t n, bool holds) {
    uint8_t out[32];
    (void)raw;
    memset(out, 0xA5, sizeof out);
    hide(out, sizeof out);
    hide(text, 256);
    cjose_status status = cjose_oaep_decrypt(key, hash, text, 256, out, n);
    bool right = hidden(&status, 1);
    show(&status, sizeof status);
    show(text, 256);
    right = status == (holds ? cjose_status_ok : cjose_status_invalid) && hidden(out, n) && right;
    show(out, sizeof out);
    for (size_t k = 0; k < n; k++) right = out[k] == (holds ? 7 : 0xA5) && right;
    return right;
}

static bool oaep(const char *path) {
    EVP_PKEY *raw = raw_key(path);
    cjose_key *key = shim_key(path);
    bool right = true;
    for (cjose_hash hash = cjose_hash_sha1; hash <= cjose_hash_sha512; hash++) {
        uint8_t secret[32], text[256], block[256];
        size_t n = 0;
        memset(secret, 7, sizeof secret);
        MUST(cjose_oaep_encrypt(key, hash, secret, sizeof secret, text, sizeof text, &n) == cjose_status_ok);
        right = oaep_of(hash, raw, key, text, 32, true) && right;
        // The block contains 32 bytes, and 16 are requested.
        right = oaep_of(hash, raw, key, text, 16, false) && right;
        // A block without padding, and one whose first byte is not zero: the two that Manger's attack distinguishes.
        memset(block, 3, sizeof block);
        power(raw, block, text);
        right = oaep_of(hash, raw, key, text, 32, false) && right;
        block[0] = 0;
        power(raw, block, text);
        right = oaep_of(hash, raw, key, text, 32, false) && right;
    }
    cjose_key_free(key);
    EVP_PKEY_free(raw);
    return right;
}

const secret_case rsa_cases[] = {{"RSA1_5, padding removed", rsa15}, {"RSA-OAEP, padding removed", oaep}};
const unsigned rsa_count = sizeof rsa_cases / sizeof *rsa_cases;
