/* libjwt 1: jwt_decode takes the PEM text each time, so that the key is parsed in each operation; its API has no other way. */
#include "harness.h"
#include <jwt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct state {
    unsigned char *key;
    size_t count;
    jwt_alg_t alg;
} state;

static void *ready(const char *alg, const char *kind) {
    state *made = calloc(1, sizeof *made);
    made->alg = jwt_str_alg(alg);
    made->key = (unsigned char *)fixture_key(alg, strcmp(alg, "HS256") ? kind : "shared.secret", &made->count);
    return made->alg == JWT_ALG_INVAL ? NULL : made;
}

static void *verifier(const char *alg) { return ready(alg, "public.pem"); }
static void *signer(const char *alg) { return ready(alg, "private.pem"); }

static bool same(jwt_t *jwt, const char *name) {
    const char *value = jwt_get_grant(jwt, name);
    return value && !strcmp(value, json_string_value(json_object_get(claims, name)));
}

static bool verify(void *with, const char *token, size_t n) {
    (void)n;
    state *s = with;
    jwt_t *jwt = NULL;
    if (jwt_decode(&jwt, token, s->key, (int)s->count)) return false;
    time_t now = time(NULL);
    bool ok = jwt_get_alg(jwt) == s->alg && same(jwt, "iss") && same(jwt, "aud") && same(jwt, "sub")
        && now < jwt_get_grant_int(jwt, "exp") && now >= jwt_get_grant_int(jwt, "nbf");
    jwt_free(jwt);
    return ok;
}

static char *sign(void *with) {
    state *s = with;
    jwt_t *jwt = NULL;
    if (jwt_new(&jwt)) return NULL;
    bool ok = !jwt_add_grants_json(jwt, payload) && !jwt_add_header(jwt, "kid", "sig-1")
        && !jwt_set_alg(jwt, s->alg, s->key, (int)s->count);
    char *token = ok ? jwt_encode_str(jwt) : NULL;
    jwt_free(jwt);
    return token;
}

int main(int argc, char **argv) {
    return harness_serve(argc, argv, &(library){.verifier = verifier, .verify = verify, .signer = signer, .sign = sign});
}
