#ifndef SAML_RAW_H
#define SAML_RAW_H
#include <stdbool.h>
#include <stddef.h>
#pragma clang assume_nonnull begin

/// What libxml2 and xmlsec do by themselves, for benchmarks: nothing is asked of a message but that its signatures hold.
typedef struct saml_raw saml_raw;

/// A PKCS#8 of an RSA key in clear, which is everyone's here. Null: it is none. Ended with `saml_raw_free`.
saml_raw *_Nullable saml_raw_new(const void *der, size_t n);
void saml_raw_free(saml_raw *_Nullable raw);

/// Parses the text, finds IDs and verifies every signature in it, `signatures` in all; then decrypts every EncryptedData, `numbers` in all.
bool saml_raw_read(const saml_raw *raw, const void *text, size_t n, int signatures, int numbers);
/// Parses the text, fills the signature in it anew, and writes it.
bool saml_raw_sign(const saml_raw *raw, const void *text, size_t n);

#pragma clang assume_nonnull end
#endif
