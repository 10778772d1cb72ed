#ifdef CJOSE_SERVER
#include "CJOSESandbox.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

// libmicrohttpd requests a certificate and accepts any: GnuTLS determines here whether it is a client's.
const void *cjose_sandbox_certificate(void *tls, size_t *n) {
    *n = 0;
    gnutls_session_t session = tls;
    unsigned count = 0;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
    if (!chain || count == 0) return NULL;
    gnutls_typed_vdata_st purpose = {GNUTLS_DT_KEY_PURPOSE_OID, (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT, 0};
    unsigned faults = 0;
    if (gnutls_certificate_verify_peers(session, &purpose, 1, &faults) != GNUTLS_E_SUCCESS || faults != 0) return NULL;
    *n = chain[0].size;
    return chain[0].data;
}

const char *cjose_sandbox_tls_version(void) { return gnutls_check_version(NULL); }
#endif
