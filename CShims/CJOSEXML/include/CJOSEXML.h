#ifndef CJOSE_XML_H
#define CJOSE_XML_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin
#define CJOSE_XML_CHECKED __attribute__((warn_unused_result))

typedef enum __attribute__((enum_extensibility(closed))) cjose_xml_status : int32_t {
    cjose_xml_ok = 0,
    /// The text is not the strict XML that `cjose_xml_parse` accepts.
    cjose_xml_malformed,
    /// A transform, canonicalization, signature or digest is not one of the supported ones.
    cjose_xml_algorithm,
    /// There is no signature, more than one, one of another element or form, or an invalid one.
    cjose_xml_signature,
    /// The encryption is neither AES-256-CBC nor RSA-OAEP with MGF1 and SHA-1.
    cjose_xml_encryption,
    /// The decryption failed; there is no other result for it.
    cjose_xml_decryption,
    /// The key is not an RSA key of 2 048 to 8 192 bits.
    cjose_xml_key_invalid,
    /// Memory ran out, or a library failed.
    cjose_xml_backend,
} cjose_xml_status;

enum {
    cjose_xml_max_bytes = 262144,
    cjose_xml_max_depth = 64,
    /// The largest number of attributes of one element.
    cjose_xml_max_attributes = 64,
    /// The largest number of namespace declarations of one element.
    cjose_xml_max_namespaces = 32,
    /// The largest number of namespace declarations of an element and of all elements around it: canonicalization
    /// searches them for each element.
    cjose_xml_max_in_scope = 64,
    /// The largest number of attributes named `ID`, `Id` or `id` in one document.
    cjose_xml_max_ids = 256,
};

/// A parsed document, for one thread at a time.
typedef struct cjose_xml cjose_xml;
/// An element of a document; it lives as long as the document.
typedef struct cjose_xml_node cjose_xml_node;
/// An RSA key. It is immutable; any number of threads may use one.
typedef struct cjose_xml_key cjose_xml_key;

/// Initializes the libraries, once for the process; every call below does so where it must. False where they cannot be
/// used, for example because another version is loaded than was built with.
bool cjose_xml_begin(void);

/// Parses UTF-8 and XML 1.0, without a document type, entities of its own, processing instructions, relative names of
/// namespaces, `xml:id`, or a duplicate ID (`ID`, `Id`, `id`), and within the bounds above. Comments are left out, as
/// in canonicalization. The caller frees `*out` with `cjose_xml_free`.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_parse(
    const void *_Nullable bytes, size_t n, cjose_xml *_Nullable *_Nonnull out);
void cjose_xml_free(cjose_xml *_Nullable xml);

const cjose_xml_node *cjose_xml_root(const cjose_xml *xml);
/// Returns the first child that is an element.
const cjose_xml_node *_Nullable cjose_xml_child(const cjose_xml_node *node);
const cjose_xml_node *_Nullable cjose_xml_next(const cjose_xml_node *node);
bool cjose_xml_is(const cjose_xml_node *node, const char *space, const char *name);
/// Returns the value of an attribute without a namespace; null where there is none. It lives as long as the document.
const char *_Nullable cjose_xml_attribute(const cjose_xml_node *node, const char *name);
/// Returns the text of an element without child elements; null for one with child elements. It lives as long as the
/// document.
const char *_Nullable cjose_xml_text(const cjose_xml_node *node);

/// Reads an SPKI, or a PKCS#8 in the clear. The caller frees `*out` with `cjose_xml_key_free`.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_key_new(
    const void *der, size_t n, bool is_private, cjose_xml_key *_Nullable *_Nonnull out);
void cjose_xml_key_free(cjose_xml_key *_Nullable key);

/// Verifies that `node` has exactly one enveloped signature, as its own child, over all of itself (one reference, to
/// its `ID`; enveloped and exclusive canonicalization; RSA-SHA256 and SHA-256), by one of the keys. Keys in the message
/// are not read.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_verify(
    cjose_xml *xml, const cjose_xml_node *node, const cjose_xml_key *_Nonnull const *_Nonnull keys, size_t count);
/// Fills the digest of the empty signature in `node`, which has the form that `cjose_xml_verify` accepts, and writes
/// the octets that the caller signs: the canonical form of its SignedInfo. The caller frees `*out` with
/// `cjose_xml_bytes_free`.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_begin_signature(
    cjose_xml *xml, const cjose_xml_node *node, unsigned char *_Nullable *_Nonnull out, size_t *out_len);
/// Writes the value of the signature in `node`: RSASSA-PKCS1-v1_5 with SHA-256 over those octets, `n` bytes of base64.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_end_signature(const cjose_xml_node *node, const void *base64, size_t n);

/// Checks that `data` and `key` (EncryptedData, EncryptedKey) have the two supported algorithms and contain their
/// ciphertext.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_check_encryption(const cjose_xml_node *data, const cjose_xml_node *key);
/// Decrypts the one element in `data`, by the key that is encrypted in `encrypted_key`, and reads it as if it were in
/// the place of `data`, within the bounds of bytes and of the attributes and namespace declarations of one element; it
/// has no child elements. `decryption` for any fault.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_decrypt(
    cjose_xml *xml, const cjose_xml_node *data, const cjose_xml_node *encrypted_key, const cjose_xml_key *key,
    const cjose_xml_node *_Nullable *_Nonnull out);
/// Encrypts `bytes` into the empty cipher values of `data` by a new key, and that key into those of `encrypted_keys`.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_encrypt(
    cjose_xml *xml, const cjose_xml_node *data, const void *bytes, size_t n,
    const cjose_xml_node *_Nonnull const *_Nonnull encrypted_keys, const cjose_xml_key *_Nonnull const *_Nonnull keys,
    size_t count);

/// Writes the document as UTF-8 without a declaration. The caller frees `*out` with `cjose_xml_bytes_free`.
CJOSE_XML_CHECKED cjose_xml_status cjose_xml_write(
    const cjose_xml *xml, unsigned char *_Nullable *_Nonnull out, size_t *out_len);
void cjose_xml_bytes_free(unsigned char *_Nullable bytes);

/// Returns `sizeof(xmlSecSize)` as this shim was built, which must be the size that the library was built with.
size_t cjose_xml_size_of_size(void);
/// Return the versions of libxml2 and of xmlsec that this was built with, such as 2.9.14; `cjose_xml_begin` accepts no
/// others. The texts are static.
const char *cjose_xml_parser_version(void);
const char *cjose_xml_security_version(void);

#pragma clang assume_nonnull end
#endif
