#ifdef CJOSE_ZIP
#include "CJOSEZip.h"
#include "memory.h"

const char *cjose_zip_version(void) { return zlibVersion(); }

/// Returns the size of stored blocks of any size that zlib may choose, which is the worst case.
size_t cjose_zip_bound(size_t n) { return n > INT32_MAX / 2 ? 0 : n + n / 8 + n / 64 + 64; }

/// Returns the smallest window that the text fills: zlib's memory, which is cleared twice, grows with it.
static int window_bits(size_t n) {
    int bits = 9;
    while (bits < 15 && (size_t)1 << bits < n) bits++;
    return bits;
}

cjose_zip cjose_zip_deflate(const void *in, size_t n, void *out, size_t capacity, size_t *out_len) {
    *out_len = 0;
    if (cjose_zip_bound(n) == 0 || capacity > INT32_MAX) return cjose_zip_too_long;
    z_stream stream = {.zalloc = cjose_zip_take, .zfree = cjose_zip_give};
    int bits = window_bits(n);
    // A negative number stands for no wrapper (RFC 7516, 4.1.3). The hash tables have as many bits as the window.
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -bits, bits - 7, Z_DEFAULT_STRATEGY) != Z_OK)
        return cjose_zip_backend;
    stream.next_in = (Bytef *)(uintptr_t)in;
    stream.avail_in = (uInt)n;
    stream.next_out = out;
    stream.avail_out = (uInt)capacity;
    int state = deflate(&stream, Z_FINISH);
    *out_len = capacity - stream.avail_out;
    deflateEnd(&stream);
    return state == Z_STREAM_END ? cjose_zip_ok : cjose_zip_backend;
}
#endif
