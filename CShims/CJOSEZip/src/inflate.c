#ifdef CJOSE_ZIP
#include <stdbool.h>

#include "CJOSEBytes.h"
#include "CJOSEZip.h"
#include "memory.h"

/// Decompresses until the stream ends, or its text exceeds `max_bytes` bytes.
static cjose_zip run(z_stream *stream, unsigned char *out, size_t max_bytes, size_t *made) {
    // The block takes text that is not kept: all of it, or what may follow a full `out`.
    unsigned char block[8192];
    cjose_zip result = cjose_zip_invalid;
    int state = Z_OK;
    while (state == Z_OK) {
        bool keeps = out != NULL && *made < max_bytes;
        size_t room = keeps ? max_bytes - *made : sizeof block;
        stream->next_out = keeps ? out + *made : block;
        stream->avail_out = (uInt)room;
        // In one call to the end zlib needs no window beside the output.
        state = inflate(stream, keeps ? Z_FINISH : Z_NO_FLUSH);
        *made += room - stream->avail_out;
        if (keeps && state == Z_BUF_ERROR && stream->avail_out == 0) state = Z_OK;
        if (*made > max_bytes) {
            result = cjose_zip_too_long;
            break;
        }
        // There was room for more: the stream is truncated.
        if (state == Z_OK && stream->avail_out != 0) break;
    }
    if (state == Z_STREAM_END && stream->avail_in == 0 && *made <= max_bytes) result = cjose_zip_ok;
    if (state == Z_MEM_ERROR) result = cjose_zip_backend;
    cjose_wipe(block, sizeof block);
    return result;
}

cjose_zip cjose_zip_inflate(const void *in, size_t n, void *out, size_t capacity, size_t *out_len) {
    *out_len = 0;
    if (n > INT32_MAX || capacity > INT32_MAX) return cjose_zip_too_long;
    z_stream stream = {.zalloc = cjose_zip_take, .zfree = cjose_zip_give};
    stream.next_in = (Bytef *)(uintptr_t)in;
    stream.avail_in = (uInt)n;
    // A negative number stands for neither zlib's nor gzip's wrapper (RFC 7516, 4.1.3), with the largest window.
    if (inflateInit2(&stream, -15) != Z_OK) return cjose_zip_backend;
    cjose_zip result = run(&stream, out, capacity, out_len);
    inflateEnd(&stream);
    return result;
}
#endif
