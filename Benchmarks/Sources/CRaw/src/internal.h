#ifndef CRAW_INTERNAL_H
#define CRAW_INTERNAL_H
#include "CRaw.h"
#include <openssl/evp.h>
#include <openssl/x509.h>

#define CRAW_FIELDS 13
#define TRY(x) do { if (!(x)) return false; } while (0)

typedef struct { unsigned char *at; size_t count; } bytes;
typedef struct { const char *name, *cipher, *hash; size_t cek, iv, tag; } content_row;

struct craw {
    const char *operation, *alg;
    const content_row *enc;
    bytes field[CRAW_FIELDS];
    bool (*run)(craw *);
    craw *next;

    EVP_PKEY *key, *peer;
    EVP_PKEY_CTX *key_ctx;
    X509 *leaf;
    STACK_OF(X509) *issuers;
    X509_STORE *store;
    EVP_MD *md;
    EVP_MD_CTX *md_ctx;
    EVP_MAC_CTX *mac;
    EVP_CIPHER_CTX *content, *wrap;
    EVP_CIPHER *wrap_cipher;
    /// The step that yields the content key, and whether that key is always the same.
    bool (*recipient)(craw *);
    bool fixed_cek;
    unsigned char sodium_secret[64], cek[64], z[66], digest[64], iv[16], point[133], tag[64], wrapped[512];
    size_t z_count, made, wrapped_count;
    unsigned char out[1 << 16];
};

const content_row *craw_content_row(const char *name);
EVP_PKEY *craw_key_read(const craw *op);
EVP_MD *craw_md(const char *name);
/// SHA256, SHA384 or SHA512 for a name that ends in 256, 384 or 512.
const char *craw_hash_of(const char *alg);
bool craw_digest_input(craw *op);
EVP_MAC_CTX *craw_mac_new(const char *hash, const unsigned char *key, size_t n);

bool craw_ready_signature(craw *op);
bool craw_ready_sodium(craw *op);
bool craw_ready_message(craw *op);
bool craw_ready_mac(craw *op);
bool craw_ready_encryption(craw *op);
bool craw_ready_agreement(craw *op);
bool craw_ready_x448(craw *op, bool encrypt);
bool craw_ready_password(craw *op, bool encrypt);
bool craw_ready_rsa15(craw *op, bool encrypt);
bool craw_finish_agreement(craw *op, bool encrypt);
bool craw_ready_derive(craw *op);
bool craw_ready_seal(craw *op);
bool craw_ready_key(craw *op);
bool craw_ready_content(craw *op, bool seal);
bool craw_seal(craw *op);
bool craw_open(craw *op);
bool craw_concat_kdf(craw *op, unsigned char *out, size_t n);
bool craw_kek_use(craw *op, const unsigned char *kek, bool wrap);
bool craw_wrap_cek(craw *op);
bool craw_unwrap_cek(craw *op);
#endif
