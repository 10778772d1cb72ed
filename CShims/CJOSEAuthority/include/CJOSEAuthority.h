#ifndef CJOSE_AUTHORITY_H
#define CJOSE_AUTHORITY_H
#include <stddef.h>
#pragma clang assume_nonnull begin

/// A certificate authority that exists as long as the process, for test sites only.
typedef struct cjose_authority cjose_authority;
/// Bytes that the library allocated. The caller owns them and frees them with `cjose_authority_bytes_free`.
typedef struct cjose_authority_bytes {
    unsigned char *_Nullable start;
    size_t count;
} cjose_authority_bytes;

/// Creates an authority with a new P-256 key. Null where memory runs out, or the library fails.
cjose_authority *_Nullable cjose_authority_new(const char *name, int days) __attribute__((warn_unused_result));
void cjose_authority_free(cjose_authority *authority);
void cjose_authority_bytes_free(cjose_authority_bytes bytes);

/// Writes its own certificate as PEM. Returns 1 for success, as the calls below do.
int cjose_authority_pem(const cjose_authority *authority, cjose_authority_bytes *pem)
    __attribute__((warn_unused_result));

/// Issues a certificate of a server for these names, or of a client where `is_client` is set, with a new P-256 key, both as PEM.
int cjose_authority_issue(
    const cjose_authority *authority, const char *_Nonnull const *_Nonnull names, size_t n, int is_client,
    int days, cjose_authority_bytes *certificate, cjose_authority_bytes *key) __attribute__((warn_unused_result));

/// Issues a certificate for signatures, as DER, for the public half of a private key in PEM.
int cjose_authority_certify(
    const cjose_authority *authority, const char *name, const void *key_pem, size_t key_pem_len, int days,
    cjose_authority_bytes *der) __attribute__((warn_unused_result));

/// Writes a self-signed certificate for signatures, as DER, for a private key in PEM.
int cjose_authority_self_certify(
    const char *name, const void *key_pem, size_t key_pem_len, int days, cjose_authority_bytes *der)
    __attribute__((warn_unused_result));

/// Writes an OCSP response of the authority itself, as DER, that a certificate which it issued is good, produced now and valid for an
/// hour.
int cjose_authority_ocsp(
    const cjose_authority *authority, const void *der, size_t der_len, cjose_authority_bytes *response)
    __attribute__((warn_unused_result));

#pragma clang assume_nonnull end
#endif
