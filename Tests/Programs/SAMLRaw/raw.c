#ifdef CJOSE_SAML
#include "SAMLRaw.h"

#include <libxml/parser.h>
#include <limits.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <xmlsec/openssl/crypto.h>
#include <xmlsec/openssl/evp.h>
#include <xmlsec/xmldsig.h>
#include <xmlsec/xmlenc.h>
#include <xmlsec/xmltree.h>

struct saml_raw {
    xmlSecKeyPtr key;
};

static const xmlChar dsig[] = "http://www.w3.org/2000/09/xmldsig#";
static const xmlChar enc[] = "http://www.w3.org/2001/04/xmlenc#";

saml_raw *saml_raw_new(const void *der, size_t n) {
    xmlInitParser();
    if (xmlSecInit() != 0 || xmlSecOpenSSLInit() != 0) return NULL;
    const unsigned char *at = der;
    EVP_PKEY *pkey = n > INT_MAX ? NULL : d2i_AutoPrivateKey(NULL, &at, (long)n);
    xmlSecKeyDataPtr data = pkey == NULL ? NULL : xmlSecOpenSSLEvpKeyAdopt(pkey);
    xmlSecKeyPtr key = data == NULL ? NULL : xmlSecKeyCreate();
    saml_raw *raw = key == NULL ? NULL : calloc(1, sizeof *raw);
    if (raw == NULL || xmlSecKeySetValue(key, data) != 0) {
        free(raw);
        return NULL;
    }
    raw->key = key;
    return raw;
}

void saml_raw_free(saml_raw *raw) {
    if (raw == NULL) return;
    xmlSecKeyDestroy(raw->key);
    free(raw);
}

static xmlDocPtr parse(const void *text, size_t n) {
    static const xmlChar *ids[] = {(const xmlChar *)"ID", NULL};
    xmlDocPtr doc = n > INT_MAX ? NULL : xmlReadMemory(text, (int)n, NULL, NULL, XML_PARSE_NONET);
    if (doc != NULL) xmlSecAddIDs(doc, xmlDocGetRootElement(doc), ids);
    return doc;
}

static bool verify(const saml_raw *raw, xmlNodePtr node) {
    xmlSecDSigCtxPtr context = xmlSecDSigCtxCreate(NULL);
    if (context == NULL) return false;
    context->signKey = xmlSecKeyDuplicate(raw->key);
    bool holds = context->signKey != NULL && xmlSecDSigCtxVerify(context, node) == 0 &&
        context->status == xmlSecDSigStatusSucceeded;
    xmlSecDSigCtxDestroy(context);
    return holds;
}

static xmlSecKeyPtr content_key(const saml_raw *raw, xmlNodePtr node) {
    xmlSecEncCtxPtr context = xmlSecEncCtxCreate(NULL);
    if (context == NULL) return NULL;
    context->mode = xmlEncCtxModeEncryptedKey;
    context->encKey = xmlSecKeyDuplicate(raw->key);
    xmlSecBufferPtr bytes = context->encKey == NULL ? NULL : xmlSecEncCtxDecryptToBuffer(context, node);
    xmlSecKeyPtr key = NULL;
    if (bytes != NULL)
        key = xmlSecKeyReadMemory(
            xmlSecOpenSSLKeyDataAesId, xmlSecBufferGetData(bytes), xmlSecBufferGetSize(bytes));
    xmlSecEncCtxDestroy(context);
    return key;
}

static bool decrypt(const saml_raw *raw, xmlNodePtr node) {
    xmlNodePtr beside = xmlSecFindSibling(node, BAD_CAST "EncryptedKey", enc);
    xmlSecEncCtxPtr context = beside == NULL ? NULL : xmlSecEncCtxCreate(NULL);
    if (context == NULL) return false;
    context->mode = xmlEncCtxModeEncryptedData;
    context->encKey = content_key(raw, beside);
    bool holds = context->encKey != NULL && xmlSecEncCtxDecryptToBuffer(context, node) != NULL;
    xmlSecEncCtxDestroy(context);
    return holds;
}

static bool is(xmlNodePtr node, const xmlChar *space, const char *name) {
    return node->ns != NULL && xmlStrEqual(node->ns->href, space) && xmlStrEqual(node->name, BAD_CAST name);
}

/// Returns whether everything in the tree verifies and decrypts. What is found is subtracted from the two counts.
static bool hold(const saml_raw *raw, xmlNodePtr node, int *signatures, int *numbers) {
    for (; node != NULL; node = xmlNextElementSibling(node)) {
        if (is(node, dsig, "Signature")) {
            --*signatures;
            if (!verify(raw, node)) return false;
        } else if (is(node, enc, "EncryptedData")) {
            --*numbers;
            if (!decrypt(raw, node)) return false;
        } else if (!hold(raw, xmlFirstElementChild(node), signatures, numbers)) {
            return false;
        }
    }
    return true;
}

bool saml_raw_read(const saml_raw *raw, const void *text, size_t n, int signatures, int numbers) {
    xmlDocPtr doc = parse(text, n);
    if (doc == NULL) return false;
    bool holds = hold(raw, xmlDocGetRootElement(doc), &signatures, &numbers) && signatures == 0 && numbers == 0;
    xmlFreeDoc(doc);
    return holds;
}

bool saml_raw_sign(const saml_raw *raw, const void *text, size_t n) {
    xmlDocPtr doc = parse(text, n);
    if (doc == NULL) return false;
    xmlNodePtr node = xmlSecFindNode(xmlDocGetRootElement(doc), BAD_CAST "Signature", dsig);
    xmlSecDSigCtxPtr context = node == NULL ? NULL : xmlSecDSigCtxCreate(NULL);
    xmlChar *out = NULL;
    int size = 0;
    if (context != NULL) {
        context->signKey = xmlSecKeyDuplicate(raw->key);
        if (context->signKey != NULL && xmlSecDSigCtxSign(context, node) == 0) xmlDocDumpMemory(doc, &out, &size);
        xmlSecDSigCtxDestroy(context);
    }
    bool holds = size > 0;
    xmlFree(out);
    xmlFreeDoc(doc);
    return holds;
}
#endif
