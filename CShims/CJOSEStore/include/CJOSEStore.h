#ifndef CJOSE_STORE_H
#define CJOSE_STORE_H
#include "CJOSEOpenSSL.h"
#pragma clang assume_nonnull begin

typedef enum __attribute__((enum_extensibility(closed))) cjose_store_status : int32_t {
    cjose_store_status_ok = 0,
    /// Nothing there that is a key, or nothing that can be read.
    cjose_store_status_absent = 1,
    /// More than one key.
    cjose_store_status_several = 2,
    /// libcrypto has no store for the scheme.
    cjose_store_status_no_store = 3,
    /// A passphrase or PIN was asked for, and was missing or wrong.
    cjose_store_status_needs_passphrase = 4,
    /// A key that is none of ours, or does not hold: `fault` says which.
    cjose_store_status_key = 5,
    cjose_store_status_backend = 6,
} cjose_store_status;

/// Writes a passphrase of at most `capacity` bytes and gives its length; -1: there is none.
typedef int32_t (*cjose_store_ask)(void *_Nullable context, void *out, int32_t capacity);

/// The one key at a URI, which goes to OSSL_STORE as it is. Of a pair the private key. `ask` is called where something is
/// encrypted or locked, during this call alone. The caller ends `*out` with `cjose_key_free`.
CJOSE_CHECKED cjose_store_status cjose_store_load(
    const char *uri, const char *scheme, cjose_store_ask ask, void *_Nullable context,
    cjose_key *_Nullable *_Nonnull out, cjose_status *fault);

#pragma clang assume_nonnull end
#endif
