#ifdef CJOSE_SAML
#include <libxml/SAX2.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/// The state of one document while it is read.
typedef struct reading {
    int depth;
    /// The number of namespace declarations of the open elements, in all and of each.
    int in_scope;
    int declared[cjose_xml_max_depth];
    bool is_refused;
} reading;

static void refuse(xmlParserCtxtPtr context) {
    ((reading *)context->_private)->is_refused = true;
    xmlStopParser(context);
}

// Each of these stops at the beginning of the construct: nothing that it declares is read, and nothing is loaded.
static void refuse_document_type(
    void *context, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id) {
    (void)name, (void)public_id, (void)system_id;
    refuse(context);
}
static void refuse_instruction(void *context, const xmlChar *target, const xmlChar *data) {
    (void)target, (void)data;
    refuse(context);
}
static void refuse_reference(void *context, const xmlChar *name) {
    (void)name;
    refuse(context);
}
static xmlEntityPtr refuse_entity(void *context, const xmlChar *name) {
    refuse_reference(context, name);
    return NULL;
}
static xmlParserInputPtr refuse_input(void *context, const xmlChar *public_id, const xmlChar *system_id) {
    (void)public_id, (void)system_id;
    refuse(context);
    return NULL;
}
static void hear_nothing(void *context, xmlErrorPtr error) {
    (void)context;
    (void)error;
}

static void start_element(
    void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
    const xmlChar **namespace_list, int attributes, int defaulted, const xmlChar **attribute_list) {
    reading *state = ((xmlParserCtxtPtr)context)->_private;
    if (state->is_refused) return;
    // `cjose_xml_check_tree` counts the attributes and namespace declarations of each element, in the document and in
    // decrypted text.
    if (state->depth >= cjose_xml_max_depth || namespaces > cjose_xml_max_in_scope - state->in_scope ||
        defaulted != 0) {
        refuse(context);
        return;
    }
    state->declared[state->depth++] = namespaces;
    state->in_scope += namespaces;
    xmlSAX2StartElementNs(
        context, name, prefix, uri, namespaces, namespace_list, attributes, defaulted, attribute_list);
}

static void end_element(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    reading *state = ((xmlParserCtxtPtr)context)->_private;
    if (state->is_refused) return;
    state->in_scope -= state->declared[--state->depth];
    xmlSAX2EndElementNs(context, name, prefix, uri);
}

static void make_strict(xmlSAXHandlerPtr sax) {
    sax->internalSubset = refuse_document_type;
    sax->externalSubset = refuse_document_type;
    sax->processingInstruction = refuse_instruction;
    sax->getEntity = refuse_entity;
    sax->getParameterEntity = refuse_entity;
    sax->reference = refuse_reference;
    sax->resolveEntity = refuse_input;
    sax->comment = NULL;
    sax->startElementNs = start_element;
    sax->endElementNs = end_element;
    sax->serror = hear_nothing;
}

static int options(void) {
    int value = XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
#if LIBXML_VERSION >= 21300
    value |= XML_PARSE_NO_XXE;
#endif
    return value;
}

/// Whether the document is UTF-8. All other forms of Unicode have zeros in the bytes that XML begins with.
static bool is_utf8(xmlDocPtr doc) {
    return doc->encoding == NULL || xmlStrcasecmp(doc->encoding, BAD_CAST "UTF-8") == 0;
}

cjose_xml_status cjose_xml_parse(const void *bytes, size_t n, cjose_xml **out) {
    *out = NULL;
    if (n == 0 || n > cjose_xml_max_bytes || memchr(bytes, 0, n) != NULL || !cjose_xml_is_bounded(bytes, n))
        return cjose_xml_malformed;
    if (!cjose_xml_begin()) return cjose_xml_backend;
    cjose_xml *xml = calloc(1, sizeof *xml);
    xmlParserCtxtPtr context = xmlNewParserCtxt();
    if (xml == NULL || context == NULL || context->sax == NULL) {
        xmlFreeParserCtxt(context);
        free(xml);
        return cjose_xml_backend;
    }
    reading state = {0};
    context->_private = &state;
    make_strict(context->sax);
    cjose_xml_quiet quiet = cjose_xml_hush();
    xml->doc = xmlCtxtReadMemory(context, bytes, n > INT_MAX ? 0 : (int)n, NULL, NULL, options());
    cjose_xml_status status = cjose_xml_malformed;
    if (xml->doc == NULL) {
        if (context->errNo == XML_ERR_NO_MEMORY) status = cjose_xml_backend;
    } else if (
        !state.is_refused && context->wellFormed == 1 && context->nsWellFormed == 1 && xml->doc->intSubset == NULL &&
        xml->doc->extSubset == NULL && is_utf8(xml->doc) && xmlStrEqual(xml->doc->version, BAD_CAST "1.0")) {
        xmlHashTablePtr ids = xmlHashCreate(0);
        status = ids == NULL ? cjose_xml_backend : cjose_xml_check_tree(xml->doc->children, 0, ids);
        xmlHashFree(ids, NULL);
        if (status == cjose_xml_ok && xmlDocGetRootElement(xml->doc) == NULL) status = cjose_xml_malformed;
    }
    xmlFreeParserCtxt(context);
    cjose_xml_unhush(quiet);
    if (status == cjose_xml_ok)
        *out = xml;
    else
        cjose_xml_free(xml);
    return status;
}

void cjose_xml_free(cjose_xml *xml) {
    if (xml == NULL) return;
    xmlFreeNodeList(xml->fragments);
    xmlFreeDoc(xml->doc);
    free(xml);
}
#endif
