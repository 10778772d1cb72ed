#ifndef CJOSE_REVOCATION_H
#define CJOSE_REVOCATION_H
#include "cjose_key.h"
#pragma clang assume_nonnull begin

/// Revocation lists (RFC 5280, 5) and OCSP responses (RFC 6960). Nothing is added once paths are verified with it; from then on
/// any number of threads may use one.
typedef struct cjose_revocation cjose_revocation;

/// Creates an empty value, which the caller frees with `cjose_revocation_free`. Null where memory runs out.
CJOSE_CHECKED cjose_revocation *_Nullable cjose_revocation_new(void);
void cjose_revocation_free(cjose_revocation *_Nullable revocation);

/// Adds a certificate revocation list in DER. `invalid` for anything else, for bytes after it, and for one without `nextUpdate`;
/// `unsupported` for a delta list, an indirect list, one for some reasons only, or an unknown critical extension;
/// `key_too_small` for a signature with less than 112 bits of security.
CJOSE_CHECKED cjose_status cjose_revocation_list_add(cjose_revocation *revocation, cjose_bytes der);
/// Adds an OCSP response in DER. `invalid` for anything but one successful basic response, for bytes after it, and for a status
/// without `nextUpdate`; `unsupported` for a critical extension; `key_too_small` for a signature with less than 112 bits of
/// security.
CJOSE_CHECKED cjose_status cjose_revocation_response_add(cjose_revocation *revocation, cjose_bytes der);

#pragma clang assume_nonnull end
#endif
