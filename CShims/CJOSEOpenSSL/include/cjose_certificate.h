#ifndef CJOSE_CERTIFICATE_H
#define CJOSE_CERTIFICATE_H
#include "cjose_key.h"
#include "cjose_revocation.h"
#pragma clang assume_nonnull begin

/// An X.509 certificate (RFC 5280). It is immutable to its users; any number of threads may use one.
typedef struct cjose_certificate cjose_certificate;

/// Reads the one certificate that `der` must be. `invalid` for anything else, for bytes after it and for more than one
/// distribution point with a name relative to the issuer; `unsupported` for a curve with explicit parameters (RFC 5480,
/// 2.1.1). The caller frees it with `cjose_certificate_free`.
CJOSE_CHECKED cjose_status cjose_certificate_new(cjose_bytes der, cjose_certificate *_Nullable *_Nonnull out);
void cjose_certificate_free(cjose_certificate *_Nullable certificate);
/// Returns the public key, after the checks of `cjose_key_der_import`. The caller frees it with `cjose_key_free`.
CJOSE_CHECKED cjose_status cjose_certificate_key(
    const cjose_certificate *certificate, cjose_key *_Nullable *_Nonnull out);
/// Returns the validity period in seconds since 1970, both ends included. `invalid` where they are no times.
CJOSE_CHECKED cjose_status cjose_certificate_times(
    const cjose_certificate *certificate, int64_t *not_before, int64_t *not_after);
/// Returns the name of the subject or the issuer as text (RFC 4514, UTF-8). The caller frees it with
/// `cjose_buffer_free`.
CJOSE_CHECKED cjose_status cjose_certificate_name(
    const cjose_certificate *certificate, bool of_issuer, void *_Nullable *_Nonnull out, size_t *out_len);
/// Whether the subject of `issuer` is the issuer that `certificate` names. No signature is verified.
bool cjose_certificate_names(const cjose_certificate *certificate, const cjose_certificate *issuer);

/// The labels of PEM blocks.
typedef enum __attribute__((enum_extensibility(closed))) cjose_pem_label : int32_t {
    /// `CERTIFICATE` (RFC 7468, 5).
    cjose_pem_label_certificate = 0,
    /// `X509 CRL` (RFC 7468, 7).
    cjose_pem_label_revocation_list,
    /// `OCSP RESPONSE`, which OpenSSL writes; no RFC defines it.
    cjose_pem_label_ocsp_response,
} cjose_pem_label;
/// Returns the DER of the next block of `pem` from `*at` on, and moves `*at` behind it; `*der` is null where there is
/// none. Text between blocks is skipped (RFC 7468, 2). `invalid` for a block that is broken, has another label or a
/// header. The caller frees `*der` with `cjose_buffer_free`.
CJOSE_CHECKED cjose_status cjose_pem_next(
    cjose_bytes pem, cjose_pem_label label, size_t *at, void *_Nullable *_Nonnull der, size_t *der_len);
/// Writes a certificate as one PEM block, which the caller frees with `cjose_buffer_free`.
CJOSE_CHECKED cjose_status cjose_certificate_pem(
    cjose_bytes der, void *_Nullable *_Nonnull out, size_t *out_len);

/// The certificates that paths may end at. Any number of threads may use one.
typedef struct cjose_trust cjose_trust;
/// Creates a set of the given certificates only, without those of the system. The caller frees it with
/// `cjose_trust_free`; the certificates may be freed before it.
CJOSE_CHECKED cjose_status cjose_trust_new(
    const cjose_certificate *_Nonnull const *_Nullable roots, size_t count, cjose_trust *_Nullable *_Nonnull out);
void cjose_trust_free(cjose_trust *_Nullable trust);

/// The bits of `keyUsage` (RFC 5280, 4.2.1.3).
enum {
    cjose_key_usage_digital_signature = 0x80,
    cjose_key_usage_key_encipherment = 0x20,
    cjose_key_usage_key_agreement = 0x08,
};

typedef struct cjose_chain_rules {
    /// The time of the verification, in seconds since 1970.
    int64_t at;
    /// The largest number of certificates of a path, including the root.
    int32_t max_certificates;
    /// Bits of which the leaf's `keyUsage` must have one, where it has that extension; 0: any.
    uint32_t usage;
    /// An object identifier in dotted form, ended by a zero byte. The leaf's `extKeyUsage` must have it, and that of
    /// each authority below the root, where it has that extension, must have it or any. Null: the extension is not
    /// checked.
    const char *_Nullable extended_usage;
    /// A DNS name that must be among the leaf's; empty: any.
    cjose_bytes host;
    /// The revocation data for all certificates of the path but the root; null: revocation is not checked.
    const cjose_revocation *_Nullable revocation;
    /// Whether each of them must have a status in that data.
    bool requires_status;
} cjose_chain_rules;

/// The time for which a path is known to be valid, in seconds since 1970: within the validity period of each
/// certificate, and of all revocation data that was used. `from` is included, `until` is not.
typedef struct cjose_chain_period {
    int64_t from, until;
} cjose_chain_period;

typedef enum __attribute__((enum_extensibility(closed))) cjose_chain_fault : int32_t {
    cjose_chain_ok = 0,
    /// There is no path to one of the roots.
    cjose_chain_untrusted,
    cjose_chain_expired,
    cjose_chain_not_yet_valid,
    /// The leaf's `keyUsage` or `extKeyUsage`, or an `extKeyUsage` above it, does not allow the use.
    cjose_chain_usage,
    /// An issuer may not issue: basic constraints, path length, `keyCertSign`.
    cjose_chain_authority,
    cjose_chain_name_constraint,
    /// A key or a signature has less than 112 bits of security, or a curve has explicit parameters.
    cjose_chain_weak,
    /// An extension is critical and unknown.
    cjose_chain_critical,
    cjose_chain_signature,
    cjose_chain_host,
    cjose_chain_too_long,
    /// There is another violation of RFC 5280.
    cjose_chain_profile,
    /// An issuer has revoked its certificate.
    cjose_chain_revoked,
    /// There is no status of a certificate, and one is required; or the OCSP responder does not know the certificate.
    cjose_chain_status_unknown,
    /// The revocation data of a certificate is not valid at the time.
    cjose_chain_status_outdated,
    /// The revocation data of a certificate is not signed by its issuer, or for OCSP by one that the issuer authorized.
    cjose_chain_status_untrusted,
    cjose_chain_backend,
} cjose_chain_fault;

/// Verifies the path from `chain[0]` to a root (RFC 5280, 6); the other certificates are candidates for the path. A
/// root need not be self-signed, and its key identifiers, critical extensions and revocation are not checked. `*period`
/// is set where the result is `ok`.
CJOSE_CHECKED cjose_chain_fault cjose_chain_verify(
    const cjose_trust *trust, const cjose_certificate *_Nonnull const *_Nonnull chain, size_t count,
    const cjose_chain_rules *rules, cjose_chain_period *period);

#pragma clang assume_nonnull end
#endif
