#ifndef CJOSE_SANDBOX_H
#define CJOSE_SANDBOX_H
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// Returns the certificate of the other end of a TLS session (`gnutls_session_t`) as DER, where one of the session's
/// authorities issued it for a client and it is valid now; null otherwise. It is valid as long as the session.
const void *_Nullable cjose_sandbox_certificate(void *session, size_t *n);

/// Writes the modules of a QR code (ISO/IEC 18004) with these bytes, row by row: 1 is dark. Its version is the smallest
/// that fits, and a code is still read when 15 % of it are damaged (level M). There is no quiet zone.
///
/// Returns the number of modules in a row, or 0 if the bytes do not fit into a code or the code not into `capacity`
/// modules (177 times 177 are enough for every code).
size_t cjose_sandbox_code(const uint8_t *data, size_t count, uint8_t *modules, size_t capacity);

/// Returns the version of the loaded GnuTLS; the text is static.
const char *cjose_sandbox_tls_version(void);
/// Returns the version of the loaded libqrencode; the text is static.
const char *cjose_sandbox_code_version(void);

#pragma clang assume_nonnull end
#endif
