#ifndef CJOSE_AUTHORITY_H
#define CJOSE_AUTHORITY_H
#include <stddef.h>
#pragma clang assume_nonnull begin

/// An authority of certificates that lives and dies with the process: for test sites, and for nothing else.
typedef struct cjose_authority cjose_authority;
/// Bytes that the library made. The caller's, to be given back with `cjose_authority_bytes_free`.
typedef struct cjose_authority_bytes {
    unsigned char *_Nullable start;
    size_t count;
} cjose_authority_bytes;

/// What an OCSP response says of a certificate (RFC 6960, 2.2).
typedef enum __attribute__((enum_extensibility(closed))) cjose_authority_status {
    cjose_authority_status_good,
    cjose_authority_status_revoked,
} cjose_authority_status;

/// With a fresh P-256 key. Null: no memory, or a fault of the library.
cjose_authority *_Nullable cjose_authority_new(const char *name, int days) __attribute__((warn_unused_result));
void cjose_authority_free(cjose_authority *authority);
void cjose_authority_bytes_free(cjose_authority_bytes bytes);

/// Its own certificate; 1: it worked, here and below.
int cjose_authority_pem(const cjose_authority *authority, cjose_authority_bytes *pem)
    __attribute__((warn_unused_result));
int cjose_authority_der(const cjose_authority *authority, cjose_authority_bytes *der)
    __attribute__((warn_unused_result));

/// A certificate of a server for these names, and its fresh P-256 key, both as PEM. `is_client`: of a client in its place.
int cjose_authority_issue(
    const cjose_authority *authority, const char *_Nonnull const *_Nonnull names, size_t n, int is_client,
    int days, cjose_authority_bytes *certificate, cjose_authority_bytes *key) __attribute__((warn_unused_result));

/// A certificate of signatures, as DER, for the public half of a private key in PEM.
int cjose_authority_certify(
    const cjose_authority *authority, const char *name, const void *key_pem, size_t key_pem_len, int days,
    cjose_authority_bytes *der) __attribute__((warn_unused_result));

/// The same, issued by nobody but the key itself.
int cjose_authority_self_certify(
    const char *name, const void *key_pem, size_t key_pem_len, int days, cjose_authority_bytes *der)
    __attribute__((warn_unused_result));

/// An OCSP response of the authority itself, as DER, on a certificate that it issued, made now and good for an hour.
int cjose_authority_ocsp(
    const cjose_authority *authority, const void *der, size_t der_len, cjose_authority_status status,
    cjose_authority_bytes *response) __attribute__((warn_unused_result));

#pragma clang assume_nonnull end
#endif
