#ifndef CJOSE_XML_INTERNAL_H
#define CJOSE_XML_INTERNAL_H
#include <libxml/parser.h>
#include <libxml/hash.h>
#include <libxml/tree.h>
#include <openssl/evp.h>

#include "CJOSEXML.h"

struct cjose_xml {
    xmlDocPtr doc;
    /// The decrypted elements, outside of the document, because no signature covers them.
    xmlNodePtr fragments;
};

struct cjose_xml_key {
    EVP_PKEY *pkey;
    bool is_private;
};

static inline xmlNodePtr cjose_xml_inner(const cjose_xml_node *node) { return (xmlNodePtr)(uintptr_t)node; }
static inline const cjose_xml_node *cjose_xml_outer(const xmlNode *node) { return (const cjose_xml_node *)node; }

static inline xmlNodePtr cjose_xml_child_of(xmlNodePtr node) { return xmlFirstElementChild(node); }
bool cjose_xml_named(const xmlNode *node, const char *space, const char *name);
/// Whether it is one element of the kind, with this as its `Algorithm`.
bool cjose_xml_has_algorithm(const xmlNode *node, const char *algorithm);

/// Copies at least one byte to `*out`, which is freed with `cjose_xml_bytes_free`.
cjose_xml_status cjose_xml_copy(const unsigned char *bytes, size_t n, unsigned char **out, size_t *out_len);

/// Whether libxml2 may read the text of a document, or of an element that was decrypted: no tag in it has more
/// attributes and namespace declarations together than `cjose_xml_max_attributes + cjose_xml_max_namespaces`. They are
/// counted before libxml2 reads the text, because until version 2.12 it compares each attribute of a tag, and each
/// namespace declaration, with all before it.
///
/// Tags are found in the bytes, which are not decoded. The result is therefore also false if the text does not begin
/// with `<` in ASCII (after an optional byte order mark of UTF-8 and white space), if its XML declaration names an
/// encoding other than UTF-8, if a tag contains `<`, or if a tag, a comment or a CDATA section does not end. Whether
/// the bytes are valid UTF-8 is left to libxml2.
bool cjose_xml_is_bounded(const uint8_t *bytes, size_t n);

/// Rejects what libxml2 accepts and this module does not, in the nodes from `node` on and below them, and elements with
/// more attributes or namespace declarations than allowed; adds their IDs to `ids`.
cjose_xml_status cjose_xml_check_tree(xmlNodePtr node, int depth, xmlHashTablePtr ids);

/// The error handlers of this thread, which are replaced so that nobody is notified of the libraries' errors in
/// between.
typedef struct cjose_xml_quiet {
    xmlStructuredErrorFunc func;
    void *context;
} cjose_xml_quiet;
cjose_xml_quiet cjose_xml_hush(void);
/// Restores the handlers, and empties the error queues.
void cjose_xml_unhush(cjose_xml_quiet quiet);

#define CJOSE_XML_DSIG "http://www.w3.org/2000/09/xmldsig#"
#define CJOSE_XML_ENC "http://www.w3.org/2001/04/xmlenc#"
#define CJOSE_XML_EXC_C14N "http://www.w3.org/2001/10/xml-exc-c14n#"
#endif
