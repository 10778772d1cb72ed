#include "openssl.h"
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

static size_t decode(const uint8_t *text, size_t n, uint8_t *to) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t made = 0;
    uint32_t held = 0;
    for (size_t i = 0; i < n; i++) {
        const char *place = memchr(alphabet, text[i], 64);
        held = held << 6 | (uint32_t)(place ? place - alphabet : 0);
        if (i % 4) to[made++] = (uint8_t)(held >> (6 - 2 * (i % 4)));
    }
    return made;
}

bool openssl_parts(token_parts *to, const char *token, size_t n) {
    if (n > openssl_most) return false;
    if (n == to->text_count && !memcmp(token, to->text, n)) return true;
    memcpy(to->text, token, n);
    to->text_count = n;
    size_t begin = 0, place = 0;
    for (size_t i = 0; i <= n && place < 5; i++) {
        if (i < n && token[i] != '.') continue;
        to->decoded[place].n = decode(to->text + begin, i - begin, to->decoded[place].bytes);
        if (!place) to->header_count = i;
        to->signed_count = begin ? begin - 1 : 0;
        begin = i + 1;
        place++;
    }
    return place >= 3;
}

EVP_PKEY *openssl_key(const char *alg, bool is_private) {
    size_t n;
    char *text = fixture_key(alg, is_private ? "private.pem" : "public.pem", &n);
    if (!text) return NULL;
    BIO *from = BIO_new_mem_buf(text, (int)n);
    EVP_PKEY *key = is_private ? PEM_read_bio_PrivateKey(from, NULL, NULL, NULL) : PEM_read_bio_PUBKEY(from, NULL, NULL, NULL);
    BIO_free(from);
    free(text);
    return key;
}

int main(int argc, char **argv) {
    if (!openssl_content_ready()) return 2;
    return harness_serve(
        argc, argv,
        &(library){
            openssl_verifier, openssl_verify, openssl_signer, openssl_sign, openssl_decrypter, openssl_decrypt, openssl_encrypter,
            openssl_encrypt, true});
}
