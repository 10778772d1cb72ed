#ifndef CJOSE_CERT_H
#define CJOSE_CERT_H
#include <openssl/x509.h>

#include "internal.h"

/// libcrypto takes no pointers to const where it fills what it has read once, which it does under a lock.
static inline X509 *cjose_x509(const cjose_certificate *certificate) { return (X509 *)certificate; }
#endif
