#ifndef CJOSE_OCSP_H
#define CJOSE_OCSP_H
#include "cjose_certificate.h"
#pragma clang assume_nonnull begin

typedef struct cjose_ocsp_rules {
    /// Seconds since 1970 at which the status is asked for.
    int64_t at;
    /// Seconds that `producedAt` may lie from it, either way.
    int64_t within;
} cjose_ocsp_rules;

typedef enum __attribute__((enum_extensibility(closed))) cjose_ocsp_fault : int32_t {
    cjose_ocsp_ok = 0,
    /// Not a successful basic response, bytes after it, a critical extension, or two answers for the certificate.
    cjose_ocsp_malformed,
    /// Neither the issuer itself nor one that it made a responder (RFC 6960, 4.2.2.2).
    cjose_ocsp_responder,
    /// Of the response, or made with a hash that is too weak.
    cjose_ocsp_signature,
    /// Nothing is said of the certificate: the names, the key or the serial number are another's.
    cjose_ocsp_other_certificate,
    cjose_ocsp_revoked,
    cjose_ocsp_unknown,
    /// Produced too long before or after the time, or not meant to be good then.
    cjose_ocsp_stale,
    cjose_ocsp_backend,
} cjose_ocsp_fault;

/// What an OCSP response (RFC 6960) says of `certificate`, which `issuer` issued: that is the caller's to have verified.
/// Nothing in the response is believed before its signature holds. Whether the responder's own certificate was revoked is
/// not asked.
CJOSE_CHECKED cjose_ocsp_fault cjose_ocsp_verify(
    cjose_bytes der, const cjose_certificate *certificate, const cjose_certificate *issuer,
    const cjose_ocsp_rules *rules);

#pragma clang assume_nonnull end
#endif
