#ifdef CJOSE_SAML
#include <limits.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <stdlib.h>

#include "internal.h"

cjose_xml_status cjose_xml_key_new(const void *der, size_t n, bool is_private, cjose_xml_key **out) {
    *out = NULL;
    if (n > INT_MAX) return cjose_xml_key_invalid;
    if (!cjose_xml_begin()) return cjose_xml_backend;
    const unsigned char *at = der;
    EVP_PKEY *pkey = is_private ? d2i_AutoPrivateKey(NULL, &at, (long)n) : d2i_PUBKEY(NULL, &at, (long)n);
    bool valid = pkey != NULL && EVP_PKEY_is_a(pkey, "RSA") == 1 && EVP_PKEY_get_bits(pkey) >= 2048 &&
        EVP_PKEY_get_bits(pkey) <= 8192;
    cjose_xml_key *key = valid ? calloc(1, sizeof *key) : NULL;
    ERR_clear_error();
    if (key == NULL) {
        EVP_PKEY_free(pkey);
        return valid ? cjose_xml_backend : cjose_xml_key_invalid;
    }
    *key = (cjose_xml_key){.pkey = pkey, .is_private = is_private};
    *out = key;
    return cjose_xml_ok;
}

void cjose_xml_key_free(cjose_xml_key *key) {
    if (key == NULL) return;
    EVP_PKEY_free(key->pkey);
    free(key);
}
#endif
