#ifdef CJOSE_SAML
#include <stdlib.h>
#include <string.h>

#include "internal.h"

cjose_xml_status cjose_xml_write(const cjose_xml *xml, unsigned char **out, size_t *out_len) {
    *out = NULL;
    *out_len = 0;
    xmlBufferPtr buffer = xmlBufferCreate();
    if (buffer == NULL) return cjose_xml_backend;
    int n = xmlNodeDump(buffer, xml->doc, xmlDocGetRootElement(xml->doc), 0, 0);
    unsigned char *copy = n > 0 ? malloc((size_t)n) : NULL;
    if (copy != NULL) {
        memcpy(copy, xmlBufferContent(buffer), (size_t)n);
        *out = copy;
        *out_len = (size_t)n;
    }
    xmlBufferFree(buffer);
    return copy == NULL ? cjose_xml_backend : cjose_xml_ok;
}

void cjose_xml_bytes_free(unsigned char *bytes) { free(bytes); }
#endif
