#ifndef CJOSE_ZIP_H
#define CJOSE_ZIP_H
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// Raw DEFLATE (RFC 1951), through zlib. What zlib held of the text is overwritten before a call returns.
typedef enum __attribute__((enum_extensibility(closed))) cjose_zip : int32_t {
    cjose_zip_ok = 0,
    /// Not one whole stream: cut, followed by more, or none at all.
    cjose_zip_invalid = 1,
    cjose_zip_too_long = 2,
    /// Out of memory.
    cjose_zip_backend = 3,
} cjose_zip;

/// The text of the stream `in`, and its length. `too_long`: it has more than `capacity` bytes, and `out` holds those.
/// `out` null: only the length is found, and the text is kept nowhere.
cjose_zip cjose_zip_inflate(
    const void *_Nullable in, size_t n, void *_Nullable out, size_t capacity, size_t *out_len)
    __attribute__((warn_unused_result));

/// What `cjose_zip_deflate` needs for a text of `n` bytes at most; 0: it takes none that is so long.
size_t cjose_zip_bound(size_t n);
cjose_zip cjose_zip_deflate(const void *_Nullable in, size_t n, void *out, size_t capacity, size_t *out_len)
    __attribute__((warn_unused_result));

/// The version of the zlib that was loaded, such as 1.2.13; for ever, and never freed.
const char *cjose_zip_version(void);

#pragma clang assume_nonnull end
#endif
