#ifndef CJOSE_CERT_H
#define CJOSE_CERT_H
#include <openssl/x509.h>

#include "internal.h"

/// libcrypto takes no pointers to const where it fills what it has read once, which it does under a lock.
static inline X509 *cjose_x509(const cjose_certificate *certificate) { return (X509 *)certificate; }

/// Seconds since 1970; false for what is no time.
bool cjose_seconds(const ASN1_TIME *time, int64_t *out);
/// Whether `extKeyUsage` has `wanted`, or, where `any_suffices`, any or no such extension.
bool cjose_x509_is_for(X509 *x509, const ASN1_OBJECT *wanted, bool any_suffices);
#endif
