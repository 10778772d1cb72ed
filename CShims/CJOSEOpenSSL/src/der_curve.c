#include "internal.h"

/// Explicit parameters name the kind of their field by one of two object identifiers, `prime-field` and
/// `characteristic-two-field` (RFC 3279, 2.3.5). The contents of an identifier are one run of bytes in every encoding that
/// libcrypto reads, so that no structure need be followed to find it, and none can conceal it. In random bytes, such as a
/// modulus of 8 192 bits, they occur with a probability of 2^-45.
bool cjose_der_has_explicit_curve(cjose_bytes der) {
    static const uint8_t field_type[] = {0x2a, 0x86, 0x48, 0xce, 0x3d, 0x01};
    const uint8_t *at = der.at, *end = at + der.count;
    while ((size_t)(end - at) > sizeof field_type) {
        at = memchr(at, field_type[0], (size_t)(end - at) - sizeof field_type);
        if (at == NULL) return false;
        uint8_t kind = at[sizeof field_type];
        if ((kind == 1 || kind == 2) && CRYPTO_memcmp(at, field_type, sizeof field_type) == 0) return true;
        at++;
    }
    return false;
}
