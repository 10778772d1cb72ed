#ifndef CJOSE_ECDSA_FORM_H
#define CJOSE_ECDSA_FORM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The largest DER signature: two integers of 66 bytes and a sign byte each, and three headers. libcrypto requires a little more
/// when it signs.
#define CJOSE_ECDSA_DER_MAX 160

/// Writes r || s, `half` bytes each (RFC 7518, 3.4), as the DER that libcrypto takes, and returns its length.
size_t cjose_ecdsa_to_der(const uint8_t *raw, size_t half, uint8_t *der);
/// Writes a DER signature as r || s; false where it is no signature of that size.
bool cjose_ecdsa_from_der(const uint8_t *der, size_t der_len, size_t half, uint8_t *raw);
#endif
