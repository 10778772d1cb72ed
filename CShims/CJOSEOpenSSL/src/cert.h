#ifndef CJOSE_CERT_H
#define CJOSE_CERT_H
#include <openssl/x509.h>

#include "internal.h"

/// Returns the certificate of libcrypto without const: libcrypto caches what it has read, under a lock.
static inline X509 *cjose_x509(const cjose_certificate *certificate) { return (X509 *)certificate; }

/// Whether the extensions of a certificate are read in time linear in its size. For each distribution point that is named
/// relative to the issuer (RFC 5280, 4.2.1.13, which advises against it) libcrypto copies and encodes the issuer's whole name:
/// more than one such point is false. It is called before libcrypto reads any extension.
bool cjose_x509_is_bounded(const X509 *x509);
/// Returns a time in seconds since 1970; false where it is no time.
bool cjose_seconds(const ASN1_TIME *time, int64_t *out);
/// Whether `extKeyUsage` has `wanted`, or, where `any_suffices`, any or no such extension.
bool cjose_x509_is_for(X509 *x509, const ASN1_OBJECT *wanted, bool any_suffices);
#endif
