#ifndef CJOSE_PKCS12_H
#define CJOSE_PKCS12_H
#include "cjose_key.h"
#pragma clang assume_nonnull begin

/// A private key and its certificates, out of a file of PKCS #12 (RFC 7292).
typedef struct cjose_pkcs12 cjose_pkcs12;

typedef enum __attribute__((enum_extensibility(closed))) cjose_pkcs12_fault : int32_t {
    cjose_pkcs12_ok = 0,
    /// Not the one such file that `der` must be.
    cjose_pkcs12_malformed,
    cjose_pkcs12_passphrase,
    /// Encrypted or protected by what is not taken: RC2, RC4, a public key, no MAC, or one of another kind.
    cjose_pkcs12_encryption,
    /// More rounds of derivation than allowed in all.
    cjose_pkcs12_rounds,
    cjose_pkcs12_no_key,
    cjose_pkcs12_several_keys,
    /// None of its certificates is of its key.
    cjose_pkcs12_certificate,
    /// The key itself, for the reason in `key_status`.
    cjose_pkcs12_key,
    /// More than `most` certificates, or more of anything than a key needs.
    cjose_pkcs12_too_many,
    cjose_pkcs12_backend,
} cjose_pkcs12_fault;

/// Checks the MAC before it decrypts anything. `most`: certificates; `rounds`: of all derivations together. The caller ends `out` with `cjose_pkcs12_free`.
CJOSE_CHECKED cjose_pkcs12_fault cjose_pkcs12_open(
    cjose_bytes der, cjose_bytes passphrase, size_t most, int64_t rounds, cjose_pkcs12 *_Nullable *_Nonnull out,
    cjose_status *key_status);
void cjose_pkcs12_free(cjose_pkcs12 *_Nullable file);
/// The key, from now on the caller's; null where it was taken before.
cjose_key *_Nullable cjose_pkcs12_take_key(cjose_pkcs12 *file);
/// Certificates that lead from the key's own towards a root.
size_t cjose_pkcs12_count(const cjose_pkcs12 *file);
/// The DER of one, ended by the caller with `cjose_buffer_free`.
CJOSE_CHECKED cjose_status cjose_pkcs12_chain_get(
    const cjose_pkcs12 *file, size_t place, void *_Nullable *_Nonnull der, size_t *der_len);

#pragma clang assume_nonnull end
#endif
