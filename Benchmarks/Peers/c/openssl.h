#ifndef PEER_OPENSSL_H
#define PEER_OPENSSL_H
#include "harness.h"
#include <openssl/evp.h>

/* OpenSSL as its manual shows it: algorithms fetched and keys read once, contexts made anew each time. Base64url, headers and
   claims are no part of it: the fixtures' tokens are decoded when they are first seen. */

enum { openssl_most = 8192 };
typedef struct part { uint8_t bytes[openssl_most]; size_t n; } part;
typedef struct token_parts {
    uint8_t text[openssl_most];
    size_t text_count, signed_count, header_count;
    part decoded[5];
} token_parts;

/* Decodes the token, unless it is the one that is there already. */
bool openssl_parts(token_parts *to, const char *token, size_t n);
EVP_PKEY *openssl_key(const char *alg, bool is_private);

void *openssl_verifier(const char *alg);
bool openssl_verify(void *with, const char *token, size_t n);
void *openssl_signer(const char *alg);
char *openssl_sign(void *with);
void *openssl_decrypter(const char *alg, const char *enc);
uint8_t *openssl_decrypt(void *with, const char *token, size_t n, size_t *count);
void *openssl_encrypter(const char *alg, const char *enc);
char *openssl_encrypt(void *with);

/* With the content key `cek`; `tag` is made or must be right. */
typedef struct content {
    const uint8_t *cek, *aad, *iv, *in;
    size_t aad_count, n;
    uint8_t *out, *tag;
} content;
bool openssl_content_ready(void);
bool openssl_seal(const char *enc, const content *c, size_t *count);
bool openssl_open(const char *enc, const content *c, size_t *count);

#endif
