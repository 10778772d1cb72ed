#ifndef CJOSE_STORE_H
#define CJOSE_STORE_H
#include "CJOSEOpenSSL.h"
#pragma clang assume_nonnull begin

typedef enum __attribute__((enum_extensibility(closed))) cjose_store_status : int32_t {
    cjose_store_status_ok = 0,
    /// There is no key at the URI, or nothing that can be read.
    cjose_store_status_absent = 1,
    /// There is more than one key.
    cjose_store_status_several = 2,
    /// libcrypto has no store for the scheme.
    cjose_store_status_no_store = 3,
    /// A passphrase or PIN is required, and was missing or wrong.
    cjose_store_status_needs_passphrase = 4,
    /// The key is of an unsupported kind, or invalid; `fault` has the reason.
    cjose_store_status_key = 5,
    cjose_store_status_backend = 6,
} cjose_store_status;

/// Writes a passphrase of at most `capacity` bytes and returns its length; -1 where there is none.
typedef int32_t (*cjose_store_ask)(void *_Nullable context, void *out, int32_t capacity);

/// Loads the one key at a URI, which is passed to OSSL_STORE unchanged; of a pair, the private key. A `file:` URI must name a regular
/// file, so that the call does not wait for the writer of a FIFO. `ask` is called where
/// something is encrypted or locked, during this call only. The caller frees `*out` with `cjose_key_free`.
CJOSE_CHECKED cjose_store_status cjose_store_load(
    const char *uri, const char *scheme, cjose_store_ask ask, void *_Nullable context,
    cjose_key *_Nullable *_Nonnull out, cjose_status *fault);

#pragma clang assume_nonnull end
#endif
