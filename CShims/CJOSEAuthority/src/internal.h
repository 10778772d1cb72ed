#ifndef CJOSE_AUTHORITY_INTERNAL_H
#define CJOSE_AUTHORITY_INTERNAL_H
#include "CJOSEAuthority.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

struct cjose_authority {
    X509 *certificate;
    EVP_PKEY *key;
};

/// Takes the contents of a memory BIO. Returns 1 for success.
int cjose_authority_take(BIO *bio, cjose_authority_bytes *bytes);
#endif
