#ifndef CJOSE_STREAM_H
#define CJOSE_STREAM_H
#include "cjose_digest.h"
#include "cjose_sign.h"
#pragma clang assume_nonnull begin

/// A hash or a MAC of data that comes in pieces. One thread at a time.
typedef struct cjose_stream cjose_stream;

/// The hash of a signature algorithm; the caller ends it with `cjose_stream_free`. `unsupported` for an algorithm that
/// signs the message and not its hash.
CJOSE_CHECKED cjose_status cjose_stream_hash(cjose_signature algorithm, cjose_stream *_Nullable *_Nonnull out);
/// The MAC by `mac`, which must live as long; the caller ends it with `cjose_stream_free`.
CJOSE_CHECKED cjose_status cjose_stream_mac(const cjose_mac *mac, cjose_stream *_Nullable *_Nonnull out);
CJOSE_CHECKED cjose_status cjose_stream_add(cjose_stream *stream, const void *_Nullable in, size_t n);
/// Writes what it came to, at most 64 bytes, and its length. Nothing may be added after it.
CJOSE_CHECKED cjose_status cjose_stream_finish(cjose_stream *stream, void *out, size_t *out_len);
void cjose_stream_free(cjose_stream *_Nullable stream);

/// `cjose_verify` of what was hashed already.
CJOSE_CHECKED cjose_status cjose_verify_digest(
    const cjose_key *key, cjose_signature algorithm, const void *digest, size_t digest_len, const void *_Nullable signature, size_t signature_len);
/// `cjose_sign` of what was hashed already.
CJOSE_CHECKED cjose_status cjose_sign_digest(
    const cjose_key *key, cjose_signature algorithm, const void *digest, size_t digest_len, void *out, size_t capacity, size_t *out_len);

#pragma clang assume_nonnull end
#endif
