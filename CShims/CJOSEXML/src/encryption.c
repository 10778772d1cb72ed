#ifdef CJOSE_SAML
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>
#include <xmlsec/openssl/crypto.h>
#include <xmlsec/xmlenc.h>

#include "secure.h"

enum { content_key_size = 32 };

static xmlNodePtr child_named(xmlNodePtr node, const char *space, const char *name) {
    for (xmlNodePtr child = xmlFirstElementChild(node); child != NULL; child = xmlNextElementSibling(child))
        if (cjose_xml_named(child, space, name)) return child;
    return NULL;
}

/// Whether the ciphertext is in the message, and not somewhere that it refers to.
static bool has_own_ciphertext(xmlNodePtr node) {
    xmlNodePtr data = child_named(node, CJOSE_XML_ENC, "CipherData");
    xmlNodePtr value = data == NULL ? NULL : xmlFirstElementChild(data);
    return value != NULL && cjose_xml_named(value, CJOSE_XML_ENC, "CipherValue") && xmlNextElementSibling(value) == NULL;
}

/// Whether MGF1 and the digest are SHA-1, which they are in `rsa-oaep-mgf1p` by default.
static bool is_oaep(xmlNodePtr method) {
    if (method == NULL || !cjose_xml_has_algorithm(method, CJOSE_XML_ENC "rsa-oaep-mgf1p")) return false;
    xmlNodePtr child = xmlFirstElementChild(method);
    if (child == NULL) return true;
    return cjose_xml_named(child, CJOSE_XML_DSIG, "DigestMethod") &&
        cjose_xml_has_algorithm(child, CJOSE_XML_DSIG "sha1") && xmlNextElementSibling(child) == NULL;
}

cjose_xml_status cjose_xml_check_encryption(const cjose_xml_node *data_node, const cjose_xml_node *key_node) {
    xmlNodePtr data = cjose_xml_inner(data_node), key = cjose_xml_inner(key_node);
    xmlNodePtr content = child_named(data, CJOSE_XML_ENC, "EncryptionMethod");
    if (content == NULL || !cjose_xml_has_algorithm(content, CJOSE_XML_ENC "aes256-cbc") ||
        xmlFirstElementChild(content) != NULL || !is_oaep(child_named(key, CJOSE_XML_ENC, "EncryptionMethod")))
        return cjose_xml_encryption;
    return has_own_ciphertext(data) && has_own_ciphertext(key) ? cjose_xml_ok : cjose_xml_malformed;
}

static xmlSecEncCtxPtr make_context(xmlEncCtxMode mode, xmlSecTransformId transform, xmlSecKeyPtr key) {
    xmlSecEncCtxPtr context = key == NULL ? NULL : xmlSecEncCtxCreate(NULL);
    if (context == NULL) {
        if (key != NULL) xmlSecKeyDestroy(key);
        return NULL;
    }
    context->mode = mode;
    context->encKey = key;
    if (xmlSecPtrListAdd(&context->transformCtx.enabledTransforms, (xmlSecPtr)(uintptr_t)transform) == 0) return context;
    xmlSecEncCtxDestroy(context);
    return NULL;
}

static xmlSecKeyPtr content_key(const unsigned char *bytes) {
    xmlSecKeyDataPtr data = xmlSecKeyDataCreate(xmlSecOpenSSLKeyDataAesId);
    xmlSecKeyPtr key = xmlSecKeyCreate();
    if (data != NULL && key != NULL && xmlSecOpenSSLKeyDataAesSet(data, bytes, content_key_size) == 0 &&
        xmlSecKeySetValue(key, data) == 0)
        return key;
    if (data != NULL) xmlSecKeyDataDestroy(data);
    if (key != NULL) xmlSecKeyDestroy(key);
    return NULL;
}

/// Decrypts the content key. Where that fails, a random key is used: the single result does not reveal which step
/// failed.
static bool unwrap(xmlNodePtr node, const cjose_xml_key *key, unsigned char bytes[content_key_size]) {
    if (RAND_priv_bytes(bytes, content_key_size) != 1) return false;
    xmlSecEncCtxPtr context =
        make_context(xmlEncCtxModeEncryptedKey, xmlSecOpenSSLTransformRsaOaepId, cjose_xml_adopt(key));
    if (context == NULL) return false;
    xmlSecBufferPtr out = xmlSecEncCtxDecryptToBuffer(context, node);
    if (out != NULL && xmlSecBufferGetSize(out) == content_key_size)
        memcpy(bytes, xmlSecBufferGetData(out), content_key_size);
    if (out != NULL) OPENSSL_cleanse(xmlSecBufferGetData(out), xmlSecBufferGetSize(out));
    xmlSecEncCtxDestroy(context);
    return true;
}

/// Reads the decrypted text in its context, because its prefixes may be declared above.
static xmlNodePtr read_fragment(cjose_xml *xml, xmlNodePtr context_node, const unsigned char *text, size_t n) {
    if (n == 0 || n > cjose_xml_max_bytes || memchr(text, 0, n) != NULL || !cjose_xml_is_bounded(text, n)) return NULL;
    xmlNodePtr list = NULL;
    int options = XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    if (xmlParseInNodeContext(context_node, (const char *)text, n > INT_MAX ? 0 : (int)n, options, &list) != XML_ERR_OK) {
        xmlFreeNodeList(list);
        return NULL;
    }
    xmlHashTablePtr ids = xmlHashCreate(0);
    bool valid = ids != NULL && cjose_xml_check_tree(list, 0, ids) == cjose_xml_ok && list != NULL &&
        list->type == XML_ELEMENT_NODE && list->next == NULL && xmlFirstElementChild(list) == NULL;
    xmlHashFree(ids, NULL);
    if (!valid) {
        xmlFreeNodeList(list);
        return NULL;
    }
    list->next = xml->fragments;
    xml->fragments = list;
    return list;
}

cjose_xml_status cjose_xml_decrypt(
    cjose_xml *xml, const cjose_xml_node *data, const cjose_xml_node *encrypted_key, const cjose_xml_key *key,
    const cjose_xml_node **out) {
    *out = NULL;
    cjose_xml_status status = cjose_xml_check_encryption(data, encrypted_key);
    if (status != cjose_xml_ok) return status;
    if (!key->is_private) return cjose_xml_key_invalid;
    cjose_xml_quiet quiet = cjose_xml_hush();
    unsigned char bytes[content_key_size];
    status = cjose_xml_backend;
    if (unwrap(cjose_xml_inner(encrypted_key), key, bytes)) {
        xmlSecEncCtxPtr context =
            make_context(xmlEncCtxModeEncryptedData, xmlSecOpenSSLTransformAes256CbcId, content_key(bytes));
        xmlSecBufferPtr text = context == NULL ? NULL : xmlSecEncCtxDecryptToBuffer(context, cjose_xml_inner(data));
        xmlNodePtr node = text == NULL ? NULL
                                       : read_fragment(
                                             xml, cjose_xml_inner(data), xmlSecBufferGetData(text),
                                             xmlSecBufferGetSize(text));
        if (text != NULL) OPENSSL_cleanse(xmlSecBufferGetData(text), xmlSecBufferGetSize(text));
        if (context != NULL) status = node == NULL ? cjose_xml_decryption : cjose_xml_ok;
        *out = cjose_xml_outer(node);
        if (context != NULL) xmlSecEncCtxDestroy(context);
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    cjose_xml_unhush(quiet);
    return status;
}

static bool encrypt_with(
    xmlSecEncCtxPtr context, const cjose_xml_node *node, const void *bytes, xmlSecSize n) {
    bool valid = context != NULL && xmlSecEncCtxBinaryEncrypt(context, cjose_xml_inner(node), bytes, n) == 0;
    if (context != NULL) xmlSecEncCtxDestroy(context);
    return valid;
}

cjose_xml_status cjose_xml_encrypt(
    cjose_xml *xml, const cjose_xml_node *data, const void *bytes, size_t n, const cjose_xml_node *const *encrypted_keys,
    const cjose_xml_key *const *keys, size_t count) {
    (void)xml;
    if (n > cjose_xml_max_bytes) return cjose_xml_malformed;
    unsigned char key[content_key_size];
    if (RAND_priv_bytes(key, sizeof key) != 1) return cjose_xml_backend;
    cjose_xml_quiet quiet = cjose_xml_hush();
    bool valid = encrypt_with(
        make_context(xmlEncCtxModeEncryptedData, xmlSecOpenSSLTransformAes256CbcId, content_key(key)), data, bytes,
        (xmlSecSize)n);
    for (size_t i = 0; valid && i < count; i++)
        valid = encrypt_with(
            make_context(xmlEncCtxModeEncryptedKey, xmlSecOpenSSLTransformRsaOaepId, cjose_xml_adopt(keys[i])),
            encrypted_keys[i], key, sizeof key);
    OPENSSL_cleanse(key, sizeof key);
    cjose_xml_unhush(quiet);
    return valid ? cjose_xml_ok : cjose_xml_backend;
}
#endif
