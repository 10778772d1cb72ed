#ifndef CJOSE_ZIP_H
#define CJOSE_ZIP_H
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// The result of raw DEFLATE (RFC 1951) through zlib. What zlib keeps of the text is overwritten before a call returns.
typedef enum __attribute__((enum_extensibility(closed))) cjose_zip : int32_t {
    cjose_zip_ok = 0,
    /// The data is not exactly one complete stream.
    cjose_zip_invalid = 1,
    cjose_zip_too_long = 2,
    /// Memory ran out.
    cjose_zip_backend = 3,
} cjose_zip;

/// Decompresses the stream `in`, and returns the length of its text. `too_long`: it has more than `capacity` bytes, and `out` has
/// the first of them. Where `out` is null, only the length is computed, and the text is not kept.
cjose_zip cjose_zip_inflate(
    const void *_Nullable in, size_t n, void *_Nullable out, size_t capacity, size_t *out_len)
    __attribute__((warn_unused_result));

/// Returns the capacity that `cjose_zip_deflate` needs for a text of at most `n` bytes; 0 where it takes none that is so long.
size_t cjose_zip_bound(size_t n);
cjose_zip cjose_zip_deflate(const void *_Nullable in, size_t n, void *out, size_t capacity, size_t *out_len)
    __attribute__((warn_unused_result));

/// Returns the version of the loaded zlib, such as 1.2.13; the text is static.
const char *cjose_zip_version(void);

#pragma clang assume_nonnull end
#endif
