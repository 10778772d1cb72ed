#ifndef CJOSE_OCSP_H
#define CJOSE_OCSP_H
#include "cjose_certificate.h"
#pragma clang assume_nonnull begin

typedef struct cjose_ocsp_rules {
    /// The time for which the status is checked, in seconds since 1970.
    int64_t at;
    /// The number of seconds by which `producedAt` may differ from it, either way.
    int64_t within;
} cjose_ocsp_rules;

typedef enum __attribute__((enum_extensibility(closed))) cjose_ocsp_fault : int32_t {
    cjose_ocsp_ok = 0,
    /// The response is not a successful basic response, has bytes after it, a critical extension, or two statuses for the
    /// certificate.
    cjose_ocsp_malformed,
    /// The responder is neither the issuer itself nor one that it authorized (RFC 6960, 4.2.2.2).
    cjose_ocsp_responder,
    /// The signature of the response is invalid, or made with a hash that is too weak.
    cjose_ocsp_signature,
    /// The response has no status for the certificate: the names, the key or the serial number are another's.
    cjose_ocsp_other_certificate,
    cjose_ocsp_revoked,
    cjose_ocsp_unknown,
    /// The response was produced too long before or after the time, or is not valid then.
    cjose_ocsp_stale,
    cjose_ocsp_backend,
} cjose_ocsp_fault;

/// Checks the status of `certificate` in an OCSP response (RFC 6960). The caller has verified that `issuer` issued it. Nothing in
/// the response is trusted before its signature is verified. Revocation of the responder's own certificate is not checked.
CJOSE_CHECKED cjose_ocsp_fault cjose_ocsp_verify(
    cjose_bytes der, const cjose_certificate *certificate, const cjose_certificate *issuer,
    const cjose_ocsp_rules *rules);

#pragma clang assume_nonnull end
#endif
