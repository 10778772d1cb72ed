#ifndef CLIENT_H
#define CLIENT_H
#include "pkcs11_words.h"

typedef struct bytes {
    unsigned char at[4096];
    size_t count;
} bytes;

/// A number that is not one of PKCS#11.
#define client_usage 0xFFFFFFFFUL

typedef enum client_scheme { client_rs256, client_ps256, client_ecdsa } client_scheme;

/// Loads the module and makes its first free slot a token of that name. Each of these functions returns the module's result, 0
/// for success.
CK_ULONG client_open(const char *module, const char *label, const char *so_pin, const char *pin);
void client_close(void);
CK_ULONG client_login(const char *pin);
CK_ULONG client_logout(void);
/// Create key pairs that stay in the token: a modulus of 2 048 bits and its exponent; a point, of a curve given as DER of its
/// OID.
CK_ULONG client_make_rsa(const bytes *id, bytes *modulus, bytes *exponent);
CK_ULONG client_make_ec(const bytes *id, const bytes *curve, bytes *point);
CK_ULONG client_keep_aes(const bytes *id, const bytes *value);
/// Signs. RSA signs the message, ECDSA its argument, which is the hash.
CK_ULONG client_sign(const bytes *id, client_scheme scheme, const bytes *data, bytes *signature);
CK_ULONG client_decrypt_oaep(const bytes *id, const bytes *data, bytes *plaintext);
CK_ULONG client_derive(const bytes *id, const bytes *point, bytes *secret);
CK_ULONG client_unwrap(const bytes *id, const bytes *wrapped, bytes *key);
CK_ULONG client_destroy(const bytes *id);
#endif
