/* José works on JSON objects: the compact form is split and joined here, as its command does. */
#include "harness.h"
#include <jose/b64.h>
#include <jose/jwe.h>
#include <jose/jws.h>
#include <stdlib.h>
#include <string.h>

static const char *const jws_parts[] = {"protected", "payload", "signature", NULL};
static const char *const jwe_parts[] = {"protected", "encrypted_key", "iv", "ciphertext", "tag", NULL};

typedef struct state {
    json_t *key;
    const char *alg, *enc;
} state;

static void *ready(const char *alg, const char *enc, const char *kind) {
    size_t n;
    char *text = fixture_key(alg, kind, &n);
    state *made = malloc(sizeof *made);
    *made = (state){json_loadb(text, n, 0, NULL), alg, enc};
    free(text);
    return made->key ? made : NULL;
}

static void *verifier(const char *alg) { return ready(alg, NULL, "public.jwk"); }
static void *signer(const char *alg) { return ready(alg, NULL, "private.jwk"); }
static void *decrypter(const char *alg, const char *enc) { return ready(alg, enc, "private.jwk"); }
static void *encrypter(const char *alg, const char *enc) { return ready(alg, enc, "public.jwk"); }

static json_t *split(const char *token, size_t n, const char *const *names) {
    json_t *object = json_object();
    const char *at = token, *end = token + n;
    for (; *names; names++) {
        const char *dot = names[1] ? memchr(at, '.', (size_t)(end - at)) : end;
        if (!dot) {
            json_decref(object);
            return NULL;
        }
        if (dot > at) json_object_set_new(object, *names, json_stringn(at, (size_t)(dot - at)));
        at = dot + 1;
    }
    return object;
}

static char *join(json_t *object, const char *const *names) {
    size_t n = 0;
    for (int i = 0; names[i]; i++) n += json_string_length(json_object_get(object, names[i])) + 1;
    char *token = malloc(n), *at = token;
    for (int i = 0; names[i]; i++) {
        json_t *part = json_object_get(object, names[i]);
        size_t count = json_string_length(part);
        if (count) memcpy(at, json_string_value(part), count);
        at += count;
        *at++ = '.';
    }
    at[-1] = 0;
    return token;
}

static bool verify(void *with, const char *token, size_t n) {
    state *s = with;
    char plain[4096];
    json_t *jws = split(token, n, jws_parts);
    if (!jws) return false;
    json_t *header = jose_jws_hdr(jws);
    const char *alg = json_string_value(json_object_get(header, "alg"));
    bool ok = alg && !strcmp(alg, s->alg) && jose_jws_ver(NULL, jws, NULL, s->key, false);
    if (ok) {
        size_t count = jose_b64_dec(json_object_get(jws, "payload"), plain, sizeof plain);
        ok = count != SIZE_MAX && claims_hold(plain, count);
    }
    json_decref(header);
    json_decref(jws);
    return ok;
}

static char *sign(void *with) {
    state *s = with;
    char *text = json_dumps(claims, JSON_COMPACT);
    json_t *jws = json_pack("{s:o}", "payload", jose_b64_enc(text, strlen(text)));
    json_t *signature = json_pack("{s:{s:s,s:s,s:s}}", "protected", "alg", s->alg, "typ", "JWT", "kid", "sig-1");
    char *token = jose_jws_sig(NULL, jws, signature, s->key) ? join(jws, jws_parts) : NULL;
    json_decref(signature);
    json_decref(jws);
    free(text);
    return token;
}

static uint8_t *decrypt(void *with, const char *token, size_t n, size_t *count) {
    state *s = with;
    json_t *jwe = split(token, n, jwe_parts);
    if (!jwe) return NULL;
    *count = 0; /* it reads this before it writes it */
    uint8_t *plain = jose_jwe_dec(NULL, jwe, NULL, s->key, count);
    json_decref(jwe);
    return plain;
}

static char *encrypt(void *with) {
    state *s = with;
    json_t *jwe = json_pack(
        "{s:{s:s,s:s,s:s,s:s}}", "protected", "alg", s->alg, "enc", s->enc, "typ", "JWT", "kid", "enc-1");
    json_t *cek = json_object();
    bool ok = jose_jwe_enc_jwk(NULL, jwe, NULL, s->key, cek);
    /* What the key's algorithm put beside the protected header (epk), the compact form has no other place for. */
    if (ok) ok = !json_object_set_new(jwe, "protected", jose_jwe_hdr(jwe, jwe));
    json_object_del(jwe, "header");
    char *token = ok && jose_jwe_enc_cek(NULL, jwe, cek, payload, payload_count) ? join(jwe, jwe_parts) : NULL;
    json_decref(cek);
    json_decref(jwe);
    return token;
}

int main(int argc, char **argv) {
    return harness_serve(argc, argv, &(library){verifier, verify, signer, sign, decrypter, decrypt, encrypter, encrypt, false});
}
