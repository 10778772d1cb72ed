#include "harness.h"
#include <cjose/cjose.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    cjose_jwk_t *key;
    const char *alg, *enc;
} state;

static void *ready(const char *alg, const char *enc, const char *kind) {
    size_t n;
    cjose_err fault;
    char *text = fixture_key(alg, kind, &n);
    cjose_jwk_t *key = cjose_jwk_import(text, n, &fault);
    free(text);
    if (!key) return NULL;
    state *made = malloc(sizeof *made);
    *made = (state){key, alg, enc};
    return made;
}

static void *verifier(const char *alg) { return ready(alg, NULL, "public.jwk"); }
static void *signer(const char *alg) { return ready(alg, NULL, "private.jwk"); }
static void *decrypter(const char *alg, const char *enc) { return ready(alg, enc, "private.jwk"); }
static void *encrypter(const char *alg, const char *enc) { return ready(alg, enc, "public.jwk"); }

static bool verify(void *with, const char *token, size_t n) {
    state *s = with;
    cjose_err fault;
    cjose_jws_t *jws = cjose_jws_import(token, n, &fault);
    if (!jws) return false;
    const char *alg = cjose_header_get(cjose_jws_get_protected(jws), CJOSE_HDR_ALG, &fault);
    uint8_t *plain;
    size_t count;
    bool ok = alg && !strcmp(alg, s->alg) && cjose_jws_verify(jws, s->key, &fault)
        && cjose_jws_get_plaintext(jws, &plain, &count, &fault) && claims_hold(plain, count);
    cjose_jws_release(jws);
    return ok;
}

static cjose_header_t *header(const state *s) {
    cjose_err fault;
    cjose_header_t *made = cjose_header_new(&fault);
    cjose_header_set(made, "alg", s->alg, &fault);
    if (s->enc) cjose_header_set(made, "enc", s->enc, &fault);
    cjose_header_set(made, "typ", "JWT", &fault);
    cjose_header_set(made, "kid", s->enc ? "enc-1" : "sig-1", &fault);
    return made;
}

static char *sign(void *with) {
    state *s = with;
    cjose_err fault;
    cjose_header_t *h = header(s);
    char *text = json_dumps(claims, JSON_COMPACT), *token = NULL;
    const char *made;
    cjose_jws_t *jws = cjose_jws_sign(s->key, h, (uint8_t *)text, strlen(text), &fault);
    if (jws && cjose_jws_export(jws, &made, &fault)) token = strdup(made);
    cjose_jws_release(jws);
    cjose_header_release(h);
    free(text);
    return token;
}

static uint8_t *decrypt(void *with, const char *token, size_t n, size_t *count) {
    state *s = with;
    cjose_err fault;
    cjose_jwe_t *jwe = cjose_jwe_import(token, n, &fault);
    if (!jwe) return NULL;
    uint8_t *plain = cjose_jwe_decrypt(jwe, s->key, count, &fault);
    cjose_jwe_release(jwe);
    return plain;
}

static char *encrypt(void *with) {
    state *s = with;
    cjose_err fault;
    cjose_header_t *h = header(s);
    cjose_jwe_t *jwe = cjose_jwe_encrypt(s->key, h, (uint8_t *)payload, payload_count, &fault);
    char *token = jwe ? cjose_jwe_export(jwe, &fault) : NULL;
    if (jwe) cjose_jwe_release(jwe);
    cjose_header_release(h);
    return token;
}

int main(int argc, char **argv) {
    return harness_serve(argc, argv, &(library){verifier, verify, signer, sign, decrypter, decrypt, encrypter, encrypt, false});
}
