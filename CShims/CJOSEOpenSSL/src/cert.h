#ifndef CJOSE_CERT_H
#define CJOSE_CERT_H
#include <openssl/ocsp.h>
#include <openssl/x509.h>

#include "internal.h"

/// Returns the certificate of libcrypto without const: libcrypto caches what it has read, under a lock.
static inline X509 *cjose_x509(const cjose_certificate *certificate) { return (X509 *)certificate; }

/// Whether the extensions of a certificate are read in time linear in its size. For each distribution point that is
/// named relative to the issuer (RFC 5280, 4.2.1.13, which advises against it) libcrypto copies and encodes the
/// issuer's whole name: more than one such point is false. It is called before libcrypto reads any extension.
bool cjose_x509_is_bounded(const X509 *x509);
/// Returns a time in seconds since 1970; false where it is no time.
bool cjose_seconds(const ASN1_TIME *time, int64_t *out);
/// Whether `extKeyUsage` has `wanted`, or, where `any_suffices`, any or no such extension.
bool cjose_x509_is_for(X509 *x509, const ASN1_OBJECT *wanted, bool any_suffices);
/// Whether a signature has 112 bits of security by its hash, or is one of EdDSA.
bool cjose_signature_is_strong(const X509_ALGOR *algorithm);
/// Narrows the period to the part that is in the other one too.
static inline void cjose_period_narrow(cjose_chain_period *period, int64_t from, int64_t until) {
    if (period->from < from) period->from = from;
    if (period->until > until) period->until = until;
}

/// Prepares the verification of a path. Null where memory runs out. The caller frees it with `X509_STORE_CTX_free`, and
/// keeps `others` until then.
X509_STORE_CTX *cjose_path_new(
    const cjose_trust *trust, X509 *leaf, STACK_OF(X509) *others, const cjose_chain_rules *rules);
/// The callback of all paths, which overlooks what the strict profile requires beyond what a path needs.
int cjose_path_overlook(int ok, X509_STORE_CTX *ctx);
/// Checks the revocation of a path that was verified. `period` is narrowed to that of the data.
cjose_chain_fault cjose_path_check_revocation(
    const cjose_trust *trust, STACK_OF(X509) *path, STACK_OF(X509) *others, const cjose_chain_rules *rules,
    cjose_chain_period *period);

/// Reads a response to be kept: `invalid`, `unsupported` or `key_too_small` as `cjose_revocation_response_add` says.
/// The caller frees it with `OCSP_BASICRESP_free`.
cjose_status cjose_ocsp_read(cjose_bytes der, OCSP_BASICRESP **out);
/// Checks the status of a certificate in a response that was read before, at a time at which the status itself and a
/// delegated responder's certificate must be valid. `period` is narrowed to that time where the status is good.
cjose_ocsp_fault cjose_ocsp_status(
    OCSP_BASICRESP *basic, X509 *certificate, X509 *issuer, int64_t at, cjose_chain_period *period);
#endif
