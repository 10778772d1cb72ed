#ifndef CJOSE_STREAM_H
#define CJOSE_STREAM_H
#include "cjose_digest.h"
#include "cjose_sign.h"
#pragma clang assume_nonnull begin

/// A hash or a MAC of data that comes in pieces, for one thread at a time.
typedef struct cjose_stream cjose_stream;

/// Begins the hash of a signature algorithm; the caller frees it with `cjose_stream_free`. `unsupported` for an algorithm that
/// signs the message and not its hash.
CJOSE_CHECKED cjose_status cjose_stream_hash(cjose_signature algorithm, cjose_stream *_Nullable *_Nonnull out);
/// Begins a MAC with `mac`, which must live as long; the caller frees it with `cjose_stream_free`.
CJOSE_CHECKED cjose_status cjose_stream_mac(const cjose_mac *mac, cjose_stream *_Nullable *_Nonnull out);
CJOSE_CHECKED cjose_status cjose_stream_add(cjose_stream *stream, const void *_Nullable in, size_t n);
/// Writes the hash or the MAC, at most 64 bytes, and its length. Nothing may be added after it.
CJOSE_CHECKED cjose_status cjose_stream_finish(cjose_stream *stream, void *out, size_t *out_len);
void cjose_stream_free(cjose_stream *_Nullable stream);

/// Verifies as `cjose_verify` does, for data that is hashed already.
CJOSE_CHECKED cjose_status cjose_verify_digest(
    const cjose_key *key, cjose_signature algorithm, const void *digest, size_t digest_len, const void *_Nullable signature, size_t signature_len);
/// Signs as `cjose_sign` does, for data that is hashed already.
CJOSE_CHECKED cjose_status cjose_sign_digest(
    const cjose_key *key, cjose_signature algorithm, const void *digest, size_t digest_len, void *out, size_t capacity, size_t *out_len);

#pragma clang assume_nonnull end
#endif
