#ifndef CJOSE_RUNS_H
#define CJOSE_RUNS_H
// The two runs that a JSON text consists of are short and frequent, and so worth inlining. A run that does not end in sixteen
// bytes continues in a function.

#pragma clang assume_nonnull begin

/// Return the length of a run beyond the first block, and on other CPUs from the beginning.
size_t cjose_json_run_on(const void *_Nullable in, size_t n);
size_t cjose_digit_run_on(const void *_Nullable in, size_t n);

#if defined(__SSE2__)
// These are vectors of the language, not of <emmintrin.h>: Swift imports this header.
typedef signed char cjose_block __attribute__((vector_size(16)));

static inline cjose_block cjose_block_load(const void *in) {
    cjose_block block;
    __builtin_memcpy(&block, in, sizeof block);
    return block;
}

/// Returns the index of the first byte that is set, or 16.
static inline size_t cjose_block_first(cjose_block lanes) {
    return (size_t)__builtin_ctz((unsigned)__builtin_ia32_pmovmskb128(lanes) | 0x10000u);
}
#endif

static inline size_t cjose_json_run(const void *_Nullable in, size_t n) {
#if defined(__SSE2__)
    if (n >= 16) {
        cjose_block block = cjose_block_load(in);
        // The comparison is signed: 0x80...0xFF are negative, so that it finds them and the control characters.
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
