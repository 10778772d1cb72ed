#ifdef CJOSE_SAML
#include <libxml/xmlversion.h>
#include <xmlsec/version.h>
#include <openssl/err.h>
#include <pthread.h>
#include <xmlsec/openssl/crypto.h>
// This needs the include before it.
#include <xmlsec/errors.h>

#include "internal.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool usable;

static void begin(void) {
    xmlInitParser();
    if (xmlSecInit() != 0) return;
    if (xmlSecCheckVersionExt(
            XMLSEC_VERSION_MAJOR, XMLSEC_VERSION_MINOR, XMLSEC_VERSION_SUBMINOR, xmlSecCheckVersionABICompatible) != 1)
        return;
    usable = xmlSecOpenSSLInit() == 0;
    // This comes after the initialization, which sets its own callback: that one writes to standard error, with parts of
    // messages.
    xmlSecErrorsSetCallback(NULL);
    ERR_clear_error();
}

bool cjose_xml_begin(void) { return pthread_once(&once, begin) == 0 && usable; }

size_t cjose_xml_size_of_size(void) { return sizeof(xmlSecSize); }
const char *cjose_xml_parser_version(void) { return LIBXML_DOTTED_VERSION; }
const char *cjose_xml_security_version(void) { return XMLSEC_VERSION; }

static void hear_nothing(void *context, xmlErrorPtr error) {
    (void)context;
    (void)error;
}

cjose_xml_quiet cjose_xml_hush(void) {
    // These are the handlers of this thread only.
    cjose_xml_quiet quiet = {.func = xmlStructuredError, .context = xmlStructuredErrorContext};
    xmlSetStructuredErrorFunc(NULL, hear_nothing);
    return quiet;
}

void cjose_xml_unhush(cjose_xml_quiet quiet) {
    xmlSetStructuredErrorFunc(quiet.context, quiet.func);
    xmlResetLastError();
    ERR_clear_error();
}
#endif
