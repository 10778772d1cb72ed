#ifndef CJOSE_AEAD_H
#define CJOSE_AEAD_H
#include "internal.h"

typedef struct cjose_sealing {
    const void *cek, *iv, *aad;
    size_t aad_len;
    const void *in;
    size_t n;
    void *out, *tag;
} cjose_sealing;

typedef struct cjose_opening {
    const void *cek, *iv, *aad;
    size_t aad_len;
    const void *in;
    size_t n;
    const void *tag;
    void *out;
} cjose_opening;

/// Encrypts with AES-GCM. `size` is the index of the key size in the library's tables. The callers check the lengths of IV and
/// tag.
cjose_status cjose_gcm_seal(int size, const cjose_sealing *job);
cjose_status cjose_gcm_open(int size, const cjose_opening *job);
cjose_status cjose_cbc_hmac_seal(int size, const cjose_sealing *job, size_t *out_len);
cjose_status cjose_cbc_hmac_open(int size, const cjose_opening *job, size_t *out_len);

static const uint8_t cjose_zeros[32];
#endif
