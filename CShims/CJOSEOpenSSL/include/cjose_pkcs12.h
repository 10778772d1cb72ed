#ifndef CJOSE_PKCS12_H
#define CJOSE_PKCS12_H
#include "cjose_key.h"
#pragma clang assume_nonnull begin

/// A private key and its certificates from a PKCS #12 file (RFC 7292).
typedef struct cjose_pkcs12 cjose_pkcs12;

typedef enum __attribute__((enum_extensibility(closed))) cjose_pkcs12_fault : int32_t {
    cjose_pkcs12_ok = 0,
    /// The bytes are not exactly one such file.
    cjose_pkcs12_malformed,
    cjose_pkcs12_passphrase,
    /// The file is encrypted or protected by an algorithm that is not supported: RC2, RC4, a public key, no MAC, or one
    /// of another kind.
    cjose_pkcs12_encryption,
    /// The key derivations have more rounds than allowed in all.
    cjose_pkcs12_rounds,
    cjose_pkcs12_no_key,
    cjose_pkcs12_several_keys,
    /// No certificate of the file belongs to its key.
    cjose_pkcs12_certificate,
    /// The key was rejected, for the reason in `key_status`.
    cjose_pkcs12_key,
    /// The file has more than `max_certificates` certificates, or more of anything than a key needs.
    cjose_pkcs12_too_many,
    cjose_pkcs12_backend,
} cjose_pkcs12_fault;

/// Reads a file, and verifies the MAC before it decrypts anything. `max_certificates` bounds the certificates, `rounds`
/// the rounds of all derivations together. The caller frees `out` with `cjose_pkcs12_free`.
CJOSE_CHECKED cjose_pkcs12_fault cjose_pkcs12_parse(
    cjose_bytes der, cjose_bytes passphrase, size_t max_certificates, int64_t rounds, cjose_pkcs12 *_Nullable *_Nonnull out,
    cjose_status *key_status);
void cjose_pkcs12_free(cjose_pkcs12 *_Nullable file);
/// Returns the key, which the caller owns from then on; null where it was taken before.
cjose_key *_Nullable cjose_pkcs12_take_key(cjose_pkcs12 *file);
/// Returns the number of certificates that lead from the key's own towards a root.
size_t cjose_pkcs12_count(const cjose_pkcs12 *file);
/// Returns the DER of one certificate, which the caller frees with `cjose_buffer_free`.
CJOSE_CHECKED cjose_status cjose_pkcs12_chain_get(
    const cjose_pkcs12 *file, size_t index, void *_Nullable *_Nonnull der, size_t *der_len);

#pragma clang assume_nonnull end
#endif
