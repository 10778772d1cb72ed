#ifndef CJOSE_RUNS_H
#define CJOSE_RUNS_H
// The two runs that a JSON text is made of are short and many: they are worth being part of the caller. What does not
// end in sixteen bytes goes on in a function.

#pragma clang assume_nonnull begin

/// The same beyond the first block, and on other CPUs from the start.
size_t cjose_json_run_on(const void *_Nullable in, size_t n);
size_t cjose_digit_run_on(const void *_Nullable in, size_t n);

#if defined(__SSE2__)
// Vectors of the language, not <emmintrin.h>: this header is imported by Swift.
typedef signed char cjose_block __attribute__((vector_size(16)));

static inline cjose_block cjose_block_load(const void *in) {
    cjose_block block;
    __builtin_memcpy(&block, in, sizeof block);
    return block;
}

/// Where the first lane that is set lies, or 16.
static inline size_t cjose_block_first(cjose_block lanes) {
    return (size_t)__builtin_ctz((unsigned)__builtin_ia32_pmovmskb128(lanes) | 0x10000u);
}
#endif

static inline size_t cjose_json_run(const void *_Nullable in, size_t n) {
#if defined(__SSE2__)
    if (n >= 16) {
        cjose_block block = cjose_block_load(in);
        // Signed: 0x80...0xFF are negative, so one comparison finds them and the control characters.
        size_t run = cjose_block_first((block < 0x20) | (block == '"') | (block == '\\'));
        return run < 16 ? run : 16 + cjose_json_run_on((const char *)in + 16, n - 16);
    }
#endif
    return cjose_json_run_on(in, n);
}

static inline size_t cjose_digit_run(const void *_Nullable in, size_t n) {
#if defined(__SSE2__)
    if (n >= 16) {
        cjose_block block = cjose_block_load(in);
        size_t run = cjose_block_first((block < '0') | (block > '9'));
        return run < 16 ? run : 16 + cjose_digit_run_on((const char *)in + 16, n - 16);
    }
#endif
    return cjose_digit_run_on(in, n);
}

#pragma clang assume_nonnull end
#endif
