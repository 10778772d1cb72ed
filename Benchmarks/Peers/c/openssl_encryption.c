#include "openssl.h"
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    const char *alg, *enc;
    EVP_PKEY *key;
    char *secret;
    EVP_CIPHER *wrap;
    EVP_MD *sha256;
    token_parts token;
    /* The sender's public key in the header of `token`, uncompressed. */
    uint8_t point[65];
} state;

static void *ready(const char *alg, const char *enc, bool is_private) {
    state *s = calloc(1, sizeof *s);
    s->alg = alg;
    s->enc = enc;
    s->secret = fixture_key(alg, "shared.secret", NULL);
    if (!s->secret) s->key = openssl_key(alg, is_private);
    s->wrap = EVP_CIPHER_fetch(NULL, "AES-256-WRAP", NULL);
    s->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    return s->key || s->secret ? s : NULL;
}

void *openssl_decrypter(const char *alg, const char *enc) { return ready(alg, enc, true); }

/* Its additional data are the header of the fixture's token. */
void *openssl_encrypter(const char *alg, const char *enc) {
    char name[64];
    size_t n;
    snprintf(name, sizeof name, "decrypt/%s+%s.token", alg, enc);
    char *token = fixture(name, &n);
    state *s = ready(alg, enc, false);
    return s && token && openssl_parts(&s->token, token, n) ? s : NULL;
}

static bool coordinate(json_t *key, const char *name, uint8_t to[32]) {
    static token_parts parts;
    char text[128];
    const char *value = json_string_value(json_object_get(key, name));
    /* As the first part of a token: its decoder is at hand. */
    if (!value || snprintf(text, sizeof text, "%s..", value) >= (int)sizeof text) return false;
    if (!openssl_parts(&parts, text, strlen(text)) || parts.decoded[0].n != 32) return false;
    memcpy(to, parts.decoded[0].bytes, 32);
    return true;
}

static bool take(state *s, const char *token, size_t n) {
    if (n == s->token.text_count && !memcmp(token, s->token.text, n)) return true;
    if (!openssl_parts(&s->token, token, n)) return false;
    if (strcmp(s->alg, "ECDH-ES")) return true;
    json_t *header = json_loadb((char *)s->token.decoded[0].bytes, s->token.decoded[0].n, 0, NULL);
    json_t *key = json_object_get(header, "epk");
    s->point[0] = 4;
    bool ok = coordinate(key, "x", s->point + 1) && coordinate(key, "y", s->point + 33);
    json_decref(header);
    return ok;
}

static size_t cek_count(const state *s) { return strcmp(s->enc, "A128GCM") ? 32 : 16; }

static bool oaep(const state *s, bool encrypts, const uint8_t *in, size_t n, uint8_t *out, size_t *count) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL);
    const EVP_MD *hash = strcmp(s->alg, "RSA-OAEP") ? s->sha256 : EVP_sha1();
    bool ok = (encrypts ? EVP_PKEY_encrypt_init(ctx) : EVP_PKEY_decrypt_init(ctx)) > 0
        && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) > 0 && EVP_PKEY_CTX_set_rsa_oaep_md(ctx, hash) > 0
        && EVP_PKEY_CTX_set_rsa_mgf1_md(ctx, hash) > 0
        && (encrypts ? EVP_PKEY_encrypt(ctx, out, count, in, n) : EVP_PKEY_decrypt(ctx, out, count, in, n)) > 0;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static bool wrap(const state *s, bool wraps, const uint8_t *in, size_t n, uint8_t *out) {
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int made;
    EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    bool ok = EVP_CipherInit_ex2(ctx, s->wrap, (uint8_t *)s->secret, NULL, wraps, NULL) && EVP_CipherUpdate(ctx, out, &made, in, (int)n) > 0;
    EVP_CIPHER_CTX_free(ctx);
    return ok;
}

/* RFC 7518, 4.6.2, without party information; one block is enough. */
static bool agree(const state *s, EVP_PKEY *mine, EVP_PKEY *theirs, uint8_t *cek) {
    size_t z_count = 32, enc_count = strlen(s->enc);
    uint8_t input[4 + 32 + 4 + 16 + 12] = {0, 0, 0, 1}, made[32];
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, mine, NULL);
    bool ok = EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, theirs) > 0 && EVP_PKEY_derive(ctx, input + 4, &z_count) > 0;
    EVP_PKEY_CTX_free(ctx);
    input[39] = (uint8_t)enc_count;
    memcpy(input + 40, s->enc, enc_count);
    input[40 + enc_count + 11] = (uint8_t)(cek_count(s) * 8);
    if (cek_count(s) == 32) input[40 + enc_count + 10] = 1;
    ok = ok && EVP_Digest(input, 40 + enc_count + 12, made, NULL, s->sha256, NULL);
    if (ok) memcpy(cek, made, cek_count(s));
    return ok;
}

static bool agree_with_sender(const state *s, uint8_t *cek) {
    EVP_PKEY *theirs = EVP_PKEY_new();
    bool ok = EVP_PKEY_copy_parameters(theirs, s->key) > 0
        && EVP_PKEY_set1_encoded_public_key(theirs, s->point, sizeof s->point) > 0 && agree(s, s->key, theirs, cek);
    EVP_PKEY_free(theirs);
    return ok;
}

static bool agree_afresh(const state *s, uint8_t *cek) {
    EVP_PKEY *fresh = EVP_EC_gen("P-256");
    uint8_t point[65];
    size_t n;
    bool ok = fresh && EVP_PKEY_get_octet_string_param(fresh, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, point, sizeof point, &n) > 0
        && agree(s, fresh, s->key, cek);
    EVP_PKEY_free(fresh);
    return ok;
}

uint8_t *openssl_decrypt(void *with, const char *token, size_t n, size_t *count) {
    state *s = with;
    uint8_t cek[512];
    size_t cek_made = sizeof cek;
    if (!take(s, token, n)) return NULL;
    const part *key = &s->token.decoded[1], *iv = &s->token.decoded[2], *text = &s->token.decoded[3];
    bool ok = !strcmp(s->alg, "dir")    ? memcpy(cek, s->secret, 32) != NULL
        : !strcmp(s->alg, "ECDH-ES") ? agree_with_sender(s, cek)
        : s->secret                  ? wrap(s, false, key->bytes, key->n, cek)
                                     : oaep(s, false, key->bytes, key->n, cek, &cek_made);
    if (!ok) return NULL;
    uint8_t *plain = malloc(text->n + 16);
    content c = {cek, s->token.text, iv->bytes, text->bytes, s->token.header_count, text->n, plain, s->token.decoded[4].bytes};
    if (openssl_open(s->enc, &c, count)) return plain;
    free(plain);
    return NULL;
}

char *openssl_encrypt(void *with) {
    state *s = with;
    uint8_t cek[32], key[512], iv[16], tag[16], out[openssl_most];
    size_t key_count = sizeof key, count;
    if (RAND_bytes(cek, sizeof cek) <= 0 || RAND_bytes(iv, sizeof iv) <= 0) return NULL;
    bool ok = !strcmp(s->alg, "dir")    ? memcpy(cek, s->secret, 32) != NULL
        : !strcmp(s->alg, "ECDH-ES") ? agree_afresh(s, cek)
        : s->secret                  ? wrap(s, true, cek, cek_count(s), key)
                                     : oaep(s, true, cek, cek_count(s), key, &key_count);
    content c = {cek, s->token.text, iv, (uint8_t *)payload, s->token.header_count, payload_count, out, tag};
    return ok && openssl_seal(s->enc, &c, &count) ? strdup("-") : NULL;
}
