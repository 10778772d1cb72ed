#ifndef CJOSE_XML_H
#define CJOSE_XML_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin
#define CJOSE_XML_CHECKED __attribute__((warn_unused_result))

typedef enum __attribute__((enum_extensibility(closed))) cjose_xml_status : int32_t {
    cjose_xml_ok = 0,
    /// Not the strict XML that `cjose_xml_parse` takes.
    cjose_xml_malformed,
    /// A transform, canonicalization, signature or digest that is none of the three and two there are.
    cjose_xml_algorithm,
    /// No signature, more than one, one of another element or of another form, or one that does not hold.
    cjose_xml_signature,
    /// An encryption that is neither AES-256-CBC nor RSA-OAEP with MGF1 and SHA-1.
    cjose_xml_encryption,
    /// The one outcome of every decryption that fails.
    cjose_xml_decryption,
    /// No RSA key of 2 048 to 8 192 bits.
    cjose_xml_key_invalid,
    /// Out of memory, or a fault inside the libraries.
    cjose_xml_backend,
} cjose_xml_status;

enum {
    cjose_xml_most_bytes = 262144,
    cjose_xml_most_depth = 64,
    /// Attributes of one element.
    cjose_xml_most_attributes = 64,
    /// Namespace declarations of one element.
    cjose_xml_most_namespaces = 32,
    /// Namespace declarations of an element and of all elements around it: canonicalization searches them for each element.
    cjose_xml_most_in_scope = 64,
    /// Attributes named `ID`, `Id` or `id` in one document.
    cjose_xml_most_ids = 256,
};

/// A document that was read. One thread at a time may use it.
typedef struct cjose_xml cjose_xml;
/// An element of it; lives as long as the document.
typedef struct cjose_xml_node cjose_xml_node;
/// An RSA key. Immutable; any number of threads may use one.
typedef struct cjose_xml_key cjose_xml_key;

/// Begins the libraries, once for the process; every call below does so by itself where it must. False: they cannot be used, as
/// where another version is loaded than was built with.
bool cjose_xml_begin(void);

/// UTF-8 and XML 1.0 alone, without a document type, entities of its own, processing instructions, relative names of namespaces,
/// `xml:id`, or an ID (`ID`, `Id`, `id`) that stands twice, and within the bounds above. Comments are left out, as canonicalization
/// leaves them. The caller ends `*out` with `cjose_xml_free`.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_parse(
    const void *_Nullable bytes, size_t n, cjose_xml *_Nullable *_Nonnull out);
void cjose_xml_free(cjose_xml *_Nullable xml);

const cjose_xml_node *cjose_xml_root(const cjose_xml *xml);
/// Elements alone.
const cjose_xml_node *_Nullable cjose_xml_child(const cjose_xml_node *node);
const cjose_xml_node *_Nullable cjose_xml_next(const cjose_xml_node *node);
bool cjose_xml_is(const cjose_xml_node *node, const char *space, const char *name);
/// Of an attribute without a namespace; null where there is none. Lives as long as the document.
const char *_Nullable cjose_xml_attribute(const cjose_xml_node *node, const char *name);
/// The text of an element that has no elements; null where it has. Lives as long as the document.
const char *_Nullable cjose_xml_text(const cjose_xml_node *node);

/// An SPKI, or a PKCS#8 in clear. The caller ends `*out` with `cjose_xml_key_free`.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_key_new(
    const void *der, size_t n, bool is_private, cjose_xml_key *_Nullable *_Nonnull out);
void cjose_xml_key_free(cjose_xml_key *_Nullable key);

/// Whether `node` has the one enveloped signature that it must have, as a child of its own, over itself whole (one reference, to its
/// `ID`; enveloped and exclusive canonicalization; RSA-SHA256 and SHA-256), by one of the keys. Keys in the message are not looked at.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_verify(
    cjose_xml *xml, const cjose_xml_node *node, const cjose_xml_key *_Nonnull const *_Nonnull keys, size_t count);
/// Fills the signature that stands empty in `node`, of the same form.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_sign(
    cjose_xml *xml, const cjose_xml_node *node, const cjose_xml_key *key);

/// Whether `data` and `key` (EncryptedData, EncryptedKey) are of the two algorithms and carry their cipher text in place.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_check_encryption(const cjose_xml_node *data, const cjose_xml_node *key);
/// The one element that is encrypted in `data`, by the key that is encrypted in `encrypted_key`, read as if it stood in the place of
/// `data`, within the bounds of bytes and of the attributes and namespace declarations of one element; it has no elements of its own.
/// `decryption` for whatever is wrong.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_decrypt(
    cjose_xml *xml, const cjose_xml_node *data, const cjose_xml_node *encrypted_key, const cjose_xml_key *key,
    const cjose_xml_node *_Nullable *_Nonnull out);
/// Encrypts `bytes` into the empty cipher values of `data`, by a fresh key, and that into those of `encrypted_keys`.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_encrypt(
    cjose_xml *xml, const cjose_xml_node *data, const void *bytes, size_t n,
    const cjose_xml_node *_Nonnull const *_Nonnull encrypted_keys, const cjose_xml_key *_Nonnull const *_Nonnull keys,
    size_t count);

/// The document as UTF-8 without a declaration. The caller ends `*out` with `cjose_xml_bytes_free`.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_write(
    const cjose_xml *xml, unsigned char *_Nullable *_Nonnull out, size_t *out_len);
void cjose_xml_bytes_free(unsigned char *_Nullable bytes);

/// `sizeof(xmlSecSize)` as this shim was built, which must be the size that the library was built with.
size_t cjose_xml_size_of_size(void);
/// Of libxml2 and of xmlsec, such as 2.9.14: those that this was built with, and `cjose_xml_begin` takes no others. For ever.
const char *cjose_xml_parser_version(void);
const char *cjose_xml_security_version(void);

#pragma clang assume_nonnull end
#endif
