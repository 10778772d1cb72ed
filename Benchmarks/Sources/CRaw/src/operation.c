#include "internal.h"
#include <stdlib.h>
#include <openssl/x509.h>
#include <string.h>

craw *craw_new(const char *operation, const char *alg, const char *enc) {
    craw *op = calloc(1, sizeof *op);
    op->operation = strdup(operation);
    op->alg = strdup(alg);
    op->enc = enc ? craw_content_row(enc) : NULL;
    return op;
}

void craw_put(craw *op, craw_field field, const void *from, size_t n) {
    bytes *to = &op->field[field];
    to->at = malloc(n + 1);
    to->count = n;
    if (n) memcpy(to->at, from, n);
}

void craw_then(craw *op, craw *next) {
    while (op->next) op = op->next;
    op->next = next;
}

EVP_PKEY *craw_key_read(const craw *op) {
    const bytes *der = &op->field[craw_field_key];
    const unsigned char *at = der->at;
    EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &at, (long)der->count);
    at = der->at;
    return key ? key : d2i_PUBKEY(NULL, &at, (long)der->count);
}

const char *craw_hash_of(const char *alg) {
    if (strstr(alg, "384")) return "SHA384";
    return strstr(alg, "512") ? "SHA512" : "SHA256";
}

EVP_MD *craw_md(const char *name) { return EVP_MD_fetch(NULL, name, NULL); }

bool craw_digest_input(craw *op) {
    const bytes *in = &op->field[craw_field_input];
    return EVP_DigestInit_ex2(op->md_ctx, NULL, NULL) && EVP_DigestUpdate(op->md_ctx, in->at, in->count)
        && EVP_DigestFinal_ex(op->md_ctx, op->digest, NULL);
}

static bool ready_digest(craw *op) {
    op->md = craw_md(craw_hash_of(op->alg));
    op->md_ctx = EVP_MD_CTX_new();
    op->run = craw_digest_input;
    return op->md && op->md_ctx && EVP_DigestInit_ex2(op->md_ctx, op->md, NULL);
}

static bool prepare(craw *op) {
    if (!strcmp(op->operation, "digest")) return ready_digest(op);
    if (!strcmp(op->operation, "derive")) return craw_ready_derive(op);
    if (!strcmp(op->operation, "seal")) return craw_ready_seal(op);
    if (!strcmp(op->operation, "key")) return craw_ready_key(op);
    if (!strcmp(op->operation, "encrypt") || !strcmp(op->operation, "decrypt")) return craw_ready_encryption(op);
    if (!strncmp(op->alg, "HS", 2)) return craw_ready_mac(op);
    if (!strcmp(op->alg, "Ed448") || !strncmp(op->alg, "ML-DSA", 6)) return craw_ready_message(op);
    if (!strncmp(op->alg, "Ed", 2)) return craw_ready_sodium(op);
    return craw_ready_signature(op);
}

bool craw_ready(craw *op) {
    for (craw *each = op; each; each = each->next) {
        if ((!each->run && !prepare(each)) || !each->run(each)) return false;
        if (strcmp(each->operation, "decrypt") || !each->enc) continue;
        const bytes *expected = &each->field[craw_field_input];
        if (memcmp(each->out, expected->at, expected->count)) return false;
    }
    return true;
}

const void *craw_made(const craw *op, craw_field field, size_t *n) {
    switch (field) {
        case craw_field_encrypted_key: *n = op->wrapped_count; return op->wrapped;
        case craw_field_iv: *n = op->enc->iv; return op->iv;
        case craw_field_tag: *n = op->enc->tag; return op->tag;
        default: *n = op->made; return op->out;
    }
}

size_t craw_run(craw *op, size_t n) {
    size_t good = 0;
    for (size_t i = 0; i < n; i++) {
        bool ok = true;
        for (craw *each = op; each; each = each->next) ok = each->run(each) && ok;
        good += ok;
    }
    return good;
}
