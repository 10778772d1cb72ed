#ifdef CJOSE_SAML
#include <limits.h>
#include <string.h>
#include <xmlsec/openssl/crypto.h>
#include <xmlsec/openssl/evp.h>
#include <xmlsec/nodeset.h>
#include <xmlsec/transforms.h>
#include <xmlsec/xmldsig.h>

#include "secure.h"

xmlSecKeyPtr cjose_xml_adopt(const cjose_xml_key *key) {
    if (EVP_PKEY_up_ref(key->pkey) != 1) return NULL;
    xmlSecKeyDataPtr data = xmlSecOpenSSLEvpKeyAdopt(key->pkey);
    if (data == NULL) {
        EVP_PKEY_free(key->pkey);
        return NULL;
    }
    xmlSecKeyPtr made = xmlSecKeyCreate();
    if (made == NULL || xmlSecKeySetValue(made, data) != 0) {
        xmlSecKeyDataDestroy(data);
        if (made != NULL) xmlSecKeyDestroy(made);
        return NULL;
    }
    return made;
}

/// Whether a text is an XML name in ASCII, which an XPointer cannot read otherwise.
static bool is_id(const char *text) {
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char others[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.-";
    size_t n = strlen(text);
    return n > 0 && n <= 256 && strspn(text, first) > 0 && strspn(text, others) == n;
}

/// Whether the canonicalization is exclusive, with a prefix list and nothing else in it.
static bool is_exclusive(xmlNodePtr node) {
    if (!cjose_xml_has_algorithm(node, CJOSE_XML_EXC_C14N)) return false;
    xmlNodePtr child = xmlFirstElementChild(node);
    return child == NULL ||
        (cjose_xml_named(child, CJOSE_XML_EXC_C14N, "InclusiveNamespaces") && xmlNextElementSibling(child) == NULL);
}

static bool is_bare(xmlNodePtr node, const char *algorithm) {
    return cjose_xml_has_algorithm(node, algorithm) && xmlFirstElementChild(node) == NULL;
}

/// Returns `*at` where it has this name, and moves `*at` to the next.
static xmlNodePtr take(xmlNodePtr *at, const char *name) {
    xmlNodePtr node = *at;
    if (!cjose_xml_named(node, CJOSE_XML_DSIG, name)) return NULL;
    *at = xmlNextElementSibling(node);
    return node;
}

static cjose_xml_status check_reference(xmlNodePtr reference, const char *id) {
    const char *uri = cjose_xml_attribute(cjose_xml_outer(reference), "URI");
    if (uri == NULL || uri[0] != '#' || !xmlStrEqual(BAD_CAST uri + 1, BAD_CAST id)) return cjose_xml_signature;
    xmlNodePtr at = xmlFirstElementChild(reference);
    xmlNodePtr transforms = take(&at, "Transforms"), method = take(&at, "DigestMethod");
    if (transforms == NULL || method == NULL || take(&at, "DigestValue") == NULL || at != NULL)
        return cjose_xml_signature;
    at = xmlFirstElementChild(transforms);
    xmlNodePtr enveloped = take(&at, "Transform"), exclusive = take(&at, "Transform");
    if (enveloped == NULL || exclusive == NULL || at != NULL ||
        !is_bare(enveloped, CJOSE_XML_DSIG "enveloped-signature") || !is_exclusive(exclusive))
        return cjose_xml_algorithm;
    return is_bare(method, CJOSE_XML_ENC "sha256") ? cjose_xml_ok : cjose_xml_algorithm;
}

/// Checks that the signature of `node` has the one supported form.
static cjose_xml_status check(xmlNodePtr node, xmlNodePtr *signature) {
    *signature = NULL;
    for (xmlNodePtr child = xmlFirstElementChild(node); child != NULL; child = xmlNextElementSibling(child)) {
        if (!cjose_xml_named(child, CJOSE_XML_DSIG, "Signature")) continue;
        if (*signature != NULL) return cjose_xml_signature;
        *signature = child;
    }
    const char *id = cjose_xml_attribute(cjose_xml_outer(node), "ID");
    if (*signature == NULL || id == NULL || !is_id(id)) return cjose_xml_signature;
    xmlNodePtr at = xmlFirstElementChild(*signature);
    xmlNodePtr info = take(&at, "SignedInfo");
    if (info == NULL || take(&at, "SignatureValue") == NULL) return cjose_xml_signature;
    take(&at, "KeyInfo");
    // This is an Object, in which a copy of an earlier signed element could be hidden.
    if (at != NULL) return cjose_xml_signature;
    at = xmlFirstElementChild(info);
    xmlNodePtr canonical = take(&at, "CanonicalizationMethod"), method = take(&at, "SignatureMethod");
    xmlNodePtr reference = take(&at, "Reference");
    if (canonical == NULL || method == NULL || reference == NULL || at != NULL) return cjose_xml_signature;
    if (!is_exclusive(canonical) || !is_bare(method, "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"))
        return cjose_xml_algorithm;
    return check_reference(reference, id);
}

/// Creates a context that accepts no other algorithm, and no reference outside of this document, with a key or none.
static xmlSecDSigCtxPtr make_context(const cjose_xml_key *key) {
    xmlSecDSigCtxPtr context = xmlSecDSigCtxCreate(NULL);
    if (context == NULL) return NULL;
    context->enabledReferenceUris = xmlSecTransformUriTypeSameDocument;
    if (key != NULL) context->signKey = cjose_xml_adopt(key);
    if ((key == NULL || context->signKey != NULL) &&
        xmlSecDSigCtxEnableSignatureTransform(context, xmlSecTransformExclC14NId) == 0 &&
        xmlSecDSigCtxEnableSignatureTransform(context, xmlSecOpenSSLTransformRsaSha256Id) == 0 &&
        xmlSecDSigCtxEnableReferenceTransform(context, xmlSecTransformEnvelopedId) == 0 &&
        xmlSecDSigCtxEnableReferenceTransform(context, xmlSecTransformExclC14NId) == 0 &&
        xmlSecDSigCtxEnableReferenceTransform(context, xmlSecOpenSSLTransformSha256Id) == 0)
        return context;
    xmlSecDSigCtxDestroy(context);
    return NULL;
}

/// Makes this element the only one of the document that can be found by its ID, for the duration of a verification.
static xmlAttrPtr show_id(cjose_xml *xml, xmlNodePtr node) {
    xmlAttrPtr attribute = xmlHasNsProp(node, BAD_CAST "ID", NULL);
    if (attribute == NULL || attribute->children == NULL) return NULL;
    return xmlAddID(NULL, xml->doc, attribute->children->content, attribute) == NULL ? NULL : attribute;
}

static cjose_xml_status verify_with(xmlNodePtr signature, const cjose_xml_key *key) {
    xmlSecDSigCtxPtr context = make_context(key);
    if (context == NULL) return cjose_xml_backend;
    bool valid = xmlSecDSigCtxVerify(context, signature) == 0 && context->status == xmlSecDSigStatusSucceeded &&
        xmlSecPtrListGetSize(&context->signedInfoReferences) == 1;
    xmlSecDSigCtxDestroy(context);
    return valid ? cjose_xml_ok : cjose_xml_signature;
}

cjose_xml_status cjose_xml_verify(
    cjose_xml *xml, const cjose_xml_node *element, const cjose_xml_key *const *keys, size_t count) {
    xmlNodePtr node = cjose_xml_inner(element), signature;
    cjose_xml_status status = check(node, &signature);
    if (status != cjose_xml_ok) return status;
    cjose_xml_quiet quiet = cjose_xml_hush();
    xmlAttrPtr id = show_id(xml, node);
    status = id == NULL ? cjose_xml_signature : cjose_xml_key_invalid;
    for (size_t i = 0; id != NULL && i < count && status != cjose_xml_ok; i++) status = verify_with(signature, keys[i]);
    if (id != NULL) xmlRemoveID(xml->doc, id);
    cjose_xml_unhush(quiet);
    return status;
}

/// Writes the digest of the element into the reference of its signature.
static bool fill_digest(xmlNodePtr signature) {
    xmlSecDSigCtxPtr context = make_context(NULL);
    if (context == NULL) return false;
    context->operation = xmlSecTransformOperationSign;
    xmlSecDSigReferenceCtxPtr reference =
        xmlSecDSigReferenceCtxCreate(context, xmlSecDSigReferenceOriginSignedInfo);
    bool done = reference != NULL &&
        xmlSecDSigReferenceCtxProcessNode(reference, xmlLastElementChild(xmlFirstElementChild(signature))) == 0;
    if (reference != NULL) xmlSecDSigReferenceCtxDestroy(reference);
    xmlSecDSigCtxDestroy(context);
    return done;
}

/// Copies the canonical form of a SignedInfo, by the method that it names.
static cjose_xml_status copy_canonical(xmlNodePtr info, unsigned char **out, size_t *out_len) {
    xmlSecTransformCtx context;
    if (xmlSecTransformCtxInitialize(&context) != 0) return cjose_xml_backend;
    xmlSecNodeSetPtr nodes = xmlSecNodeSetGetChildren(info->doc, info, 1, 0);
    cjose_xml_status status = cjose_xml_backend;
    if (nodes != NULL &&
        xmlSecTransformCtxNodeRead(&context, xmlFirstElementChild(info), xmlSecTransformUsageC14NMethod) != NULL &&
        xmlSecTransformCtxXmlExecute(&context, nodes) == 0 && context.result != NULL)
        status = cjose_xml_copy(
            xmlSecBufferGetData(context.result), xmlSecBufferGetSize(context.result), out, out_len);
    if (nodes != NULL) xmlSecNodeSetDestroy(nodes);
    xmlSecTransformCtxFinalize(&context);
    return status;
}

cjose_xml_status cjose_xml_begin_signature(
    cjose_xml *xml, const cjose_xml_node *element, unsigned char **out, size_t *out_len) {
    *out = NULL;
    *out_len = 0;
    xmlNodePtr node = cjose_xml_inner(element), signature;
    cjose_xml_status status = check(node, &signature);
    if (status != cjose_xml_ok) return status;
    cjose_xml_quiet quiet = cjose_xml_hush();
    xmlAttrPtr id = show_id(xml, node);
    status = id != NULL && fill_digest(signature)
        ? copy_canonical(xmlFirstElementChild(signature), out, out_len)
        : cjose_xml_backend;
    if (id != NULL) xmlRemoveID(xml->doc, id);
    cjose_xml_unhush(quiet);
    return status;
}

cjose_xml_status cjose_xml_end_signature(const cjose_xml_node *element, const void *base64, size_t n) {
    xmlNodePtr signature;
    cjose_xml_status status = check(cjose_xml_inner(element), &signature);
    if (status != cjose_xml_ok) return status;
    xmlNodePtr value = xmlNextElementSibling(xmlFirstElementChild(signature));
    xmlNodePtr text = n > INT_MAX ? NULL : xmlNewDocTextLen(value->doc, base64, (int)n);
    xmlNodeSetContent(value, NULL);
    if (text == NULL || xmlAddChild(value, text) == NULL) {
        xmlFreeNode(text);
        return cjose_xml_backend;
    }
    return cjose_xml_ok;
}
#endif
