#ifndef SAML_RAW_H
#define SAML_RAW_H
#include <stdbool.h>
#include <stddef.h>
#pragma clang assume_nonnull begin

/// A key for libxml2 and xmlsec alone, for benchmarks. The functions check nothing but that signatures verify and that
/// ciphertexts decrypt.
typedef struct saml_raw saml_raw;

/// Creates a key from an unencrypted PKCS #8 of an RSA key. One key serves all parties here. Null for any other input. The caller
/// frees the key with `saml_raw_free`.
saml_raw *_Nullable saml_raw_new(const void *der, size_t n);
void saml_raw_free(saml_raw *_Nullable raw);

/// Parses the text, registers IDs, verifies every signature and decrypts every EncryptedData. Returns whether all succeed and
/// their numbers are `signatures` and `numbers`.
bool saml_raw_read(const saml_raw *raw, const void *text, size_t n, int signatures, int numbers);
/// Parses the text, fills its signature anew, and serializes it. Returns whether all succeed.
bool saml_raw_sign(const saml_raw *raw, const void *text, size_t n);

#pragma clang assume_nonnull end
#endif
