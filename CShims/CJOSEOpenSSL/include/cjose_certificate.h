#ifndef CJOSE_CERTIFICATE_H
#define CJOSE_CERTIFICATE_H
#include "cjose_key.h"
#pragma clang assume_nonnull begin

/// An X.509 certificate (RFC 5280). Immutable to its users; any number of threads may use one.
typedef struct cjose_certificate cjose_certificate;

/// The one certificate that `der` must be; `invalid` for anything else, for bytes after it and for more
/// than one distribution point with a name relative to the issuer; `unsupported` for a
/// curve with explicit parameters (RFC 5480, 2.1.1). The caller ends it with `cjose_certificate_free`.
CJOSE_CHECKED cjose_status cjose_certificate_new(cjose_bytes der, cjose_certificate *_Nullable *_Nonnull out);
void cjose_certificate_free(cjose_certificate *_Nullable certificate);
/// Its public key, with the checks of `cjose_key_der_import`. The caller ends it with `cjose_key_free`.
CJOSE_CHECKED cjose_status cjose_certificate_key(
    const cjose_certificate *certificate, cjose_key *_Nullable *_Nonnull out);
/// Seconds since 1970, both within the validity. `invalid` where they are no times.
CJOSE_CHECKED cjose_status cjose_certificate_times(
    const cjose_certificate *certificate, int64_t *not_before, int64_t *not_after);
/// The name of the subject or the issuer as text (RFC 4514, UTF-8), ended by the caller with `cjose_buffer_free`.
CJOSE_CHECKED cjose_status cjose_certificate_name(
    const cjose_certificate *certificate, bool of_issuer, void *_Nullable *_Nonnull out, size_t *out_len);
/// Whether the subject of `issuer` is the issuer that `certificate` names; no signature is looked at.
bool cjose_certificate_names(const cjose_certificate *certificate, const cjose_certificate *issuer);

/// The DER of the next `CERTIFICATE` block of `pem` from `*at` on, and `*at` behind it; `*der` null where there is none.
/// Text between blocks is passed over (RFC 7468, 2). `invalid` for a block that is broken, of another label or with a header.
/// `*der` is ended with `cjose_buffer_free`.
CJOSE_CHECKED cjose_status cjose_certificate_pem_next(
    cjose_bytes pem, size_t *at, void *_Nullable *_Nonnull der, size_t *der_len);
/// One PEM block, ended with `cjose_buffer_free`.
CJOSE_CHECKED cjose_status cjose_certificate_pem(
    cjose_bytes der, void *_Nullable *_Nonnull out, size_t *out_len);

/// Certificates that paths may end at. Any number of threads may use one.
typedef struct cjose_trust cjose_trust;
/// Those given alone, none of the system's. The caller ends it with `cjose_trust_free`; the certificates may end before it.
CJOSE_CHECKED cjose_status cjose_trust_new(
    const cjose_certificate *_Nonnull const *_Nullable roots, size_t count, cjose_trust *_Nullable *_Nonnull out);
void cjose_trust_free(cjose_trust *_Nullable trust);

/// Bits of `keyUsage` (RFC 5280, 4.2.1.3).
enum {
    cjose_key_usage_digital_signature = 0x80,
    cjose_key_usage_key_encipherment = 0x20,
    cjose_key_usage_key_agreement = 0x08,
};

typedef struct cjose_chain_rules {
    /// Seconds since 1970.
    int64_t at;
    /// Certificates of a path, with the root.
    int32_t most;
    /// The leaf's `keyUsage` must have one of these bits, where it has that extension; 0: whatever it is.
    uint32_t usage;
    /// An object identifier in dots, ended by a zero byte. The leaf's `extKeyUsage` must have it, and that of each
    /// authority below the root, where it has that extension, must have it or any. Null: not looked at.
    const char *_Nullable extended_usage;
    /// A DNS name that must be among the leaf's; empty: whatever they are.
    cjose_bytes host;
} cjose_chain_rules;

typedef enum __attribute__((enum_extensibility(closed))) cjose_chain_fault : int32_t {
    cjose_chain_ok = 0,
    /// No path to one of the roots.
    cjose_chain_untrusted,
    cjose_chain_expired,
    cjose_chain_not_yet_valid,
    /// `keyUsage` or `extKeyUsage` of the leaf, or `extKeyUsage` above it.
    cjose_chain_usage,
    /// An issuer that may not issue: basic constraints, path length, `keyCertSign`.
    cjose_chain_authority,
    cjose_chain_name_constraint,
    /// A key or a signature of less than 112 bits of security, or a curve spelled out.
    cjose_chain_weak,
    /// An extension that is critical and unknown.
    cjose_chain_critical,
    cjose_chain_signature,
    cjose_chain_host,
    cjose_chain_too_long,
    /// Otherwise not as RFC 5280 has it.
    cjose_chain_profile,
    cjose_chain_backend,
} cjose_chain_fault;

/// Verifies the path from `chain[0]` to a root (RFC 5280, 6); the others are those that may be on the way. A root is one
/// whether it is self-signed or not, and its key identifiers, and whether its extensions are critical, do not matter.
CJOSE_CHECKED cjose_chain_fault cjose_chain_verify(
    const cjose_trust *trust, const cjose_certificate *_Nonnull const *_Nonnull chain, size_t count,
    const cjose_chain_rules *rules);

#pragma clang assume_nonnull end
#endif
