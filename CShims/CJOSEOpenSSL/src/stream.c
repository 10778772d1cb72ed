#include <stdlib.h>

#include "internal.h"

/// The state of a stream. One of the two contexts exists until the stream is finished.
struct cjose_stream {
    cjose_hash hash;
    EVP_MD_CTX *md;
    cjose_mac *mac;
    EVP_MAC_CTX *ctx;
};

static cjose_status made(cjose_stream made, cjose_stream **out) {
    cjose_stream *stream = made.md != NULL || made.ctx != NULL ? malloc(sizeof *stream) : NULL;
    if (stream != NULL) {
        *stream = made;
        *out = stream;
        return cjose_status_ok;
    }
    EVP_MD_CTX_free(made.md);
    EVP_MAC_CTX_free(made.ctx);
    return cjose_failed(cjose_status_backend);
}

cjose_status cjose_stream_hash(cjose_signature algorithm, cjose_stream **out) {
    *out = NULL;
    cjose_hash hash;
    if (!cjose_signature_hash(algorithm, &hash)) return cjose_status_unsupported;
    return made((cjose_stream){.hash = hash, .md = cjose_digest_take(hash)}, out);
}

cjose_status cjose_stream_mac(const cjose_mac *mac, cjose_stream **out) {
    *out = NULL;
    return made((cjose_stream){.mac = (cjose_mac *)mac, .ctx = cjose_mac_take((cjose_mac *)mac)}, out);
}

cjose_status cjose_stream_add(cjose_stream *stream, const void *in, size_t n) {
    if (n == 0) return cjose_status_ok;
    bool ok = stream->md != NULL ? EVP_DigestUpdate(stream->md, in, n) == 1
                                 : stream->ctx != NULL && EVP_MAC_update(stream->ctx, in, n) == 1;
    return ok ? cjose_status_ok : cjose_failed(cjose_status_backend);
}

cjose_status cjose_stream_finish(cjose_stream *stream, void *out, size_t *out_len) {
    bool ok = false;
    if (stream->md != NULL) {
        unsigned made = 0;
        ok = EVP_DigestFinal_ex(stream->md, out, &made) == 1;
        *out_len = made;
        cjose_digest_give(stream->hash, stream->md);
    } else if (stream->ctx != NULL) {
        ok = EVP_MAC_final(stream->ctx, out, out_len, 64) == 1;
        if (ok) cjose_mac_give(stream->mac, stream->ctx);
        else EVP_MAC_CTX_free(stream->ctx);
    }
    stream->md = NULL;
    stream->ctx = NULL;
    return ok ? cjose_status_ok : cjose_failed(cjose_status_backend);
}

void cjose_stream_free(cjose_stream *stream) {
    if (stream == NULL) return;
    EVP_MD_CTX_free(stream->md);
    EVP_MAC_CTX_free(stream->ctx);
    free(stream);
}
