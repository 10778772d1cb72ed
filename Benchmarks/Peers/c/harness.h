#ifndef PEER_HARNESS_H
#define PEER_HARNESS_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A harness of a C library; its protocol is in Benchmarks/Peers/README.md. What is NULL the library lacks; a maker of states
   gives NULL for an algorithm that it lacks. Texts and bytes that come back are freed with free(). */
typedef struct library {
    void *(*verifier)(const char *alg);
    /* The signature, iss, aud, exp and nbf. */
    bool (*verify)(void *state, const char *token, size_t n);
    void *(*signer)(const char *alg);
    char *(*sign)(void *state);
    void *(*decrypter)(const char *alg, const char *enc);
    uint8_t *(*decrypt)(void *state, const char *token, size_t n, size_t *count);
    void *(*encrypter)(const char *alg, const char *enc);
    char *(*encrypt)(void *state);
    /* Bare cryptography: it makes no tokens (`sign` and `encrypt` give "-"), and takes those whose claims alone are wrong. */
    bool is_raw;
} library;

int harness_serve(int argc, char **argv, const library *of);

/* A file of the fixtures, with a zero after it; NULL where there is none. */
char *fixture(const char *name, size_t *n);
/* KIND is "private.jwk", "public.pem", …; for shared keys the same without its first word. */
char *fixture_key(const char *alg, const char *kind, size_t *n);

extern char *payload;
extern size_t payload_count;
extern json_t *claims;
/* For libraries that end at the signature: JSON with the expected iss and aud, at a time between nbf and exp. */
bool claims_hold(const void *json, size_t n);

#endif
