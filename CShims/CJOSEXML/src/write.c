#ifdef CJOSE_SAML
#include <stdlib.h>
#include <string.h>

#include "internal.h"

cjose_xml_status cjose_xml_copy(const unsigned char *bytes, size_t n, unsigned char **out, size_t *out_len) {
    unsigned char *copy = n > 0 ? malloc(n) : NULL;
    if (copy == NULL) return cjose_xml_backend;
    memcpy(copy, bytes, n);
    *out = copy;
    *out_len = n;
    return cjose_xml_ok;
}

cjose_xml_status cjose_xml_write(const cjose_xml *xml, unsigned char **out, size_t *out_len) {
    *out = NULL;
    *out_len = 0;
    xmlBufferPtr buffer = xmlBufferCreate();
    if (buffer == NULL) return cjose_xml_backend;
    int n = xmlNodeDump(buffer, xml->doc, xmlDocGetRootElement(xml->doc), 0, 0);
    cjose_xml_status status =
        n > 0 ? cjose_xml_copy(xmlBufferContent(buffer), (size_t)n, out, out_len) : cjose_xml_backend;
    xmlBufferFree(buffer);
    return status;
}

void cjose_xml_bytes_free(unsigned char *bytes) { free(bytes); }
#endif
