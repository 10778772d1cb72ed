#ifndef CJOSE_CPU_H
#define CJOSE_CPU_H
#include "CJOSEBytes.h"

#pragma clang assume_nonnull begin

/// One implementation of base64url. The lengths were checked and are not zero.
typedef struct cjose_kernels {
    cjose_form form;
    void (*encode)(const uint8_t *in, size_t n, uint8_t *out);
    bool (*decode)(const uint8_t *in, size_t n, uint8_t *out);
} cjose_kernels;

/// The portable form, which also completes the work of every other form, where no whole block is left.
void cjose_base64url_encode_portable(const uint8_t *in, size_t n, uint8_t *out);
bool cjose_base64url_decode_portable(const uint8_t *in, size_t n, uint8_t *out);

/// The alphabet, and for each byte its index in it plus one; 0 for bytes outside the alphabet.
extern const uint8_t cjose_base64url_alphabet[64];
extern const uint8_t cjose_base64url_positions[256];

#if defined(__x86_64__)
extern const cjose_kernels cjose_kernels_avx2;
extern const cjose_kernels cjose_kernels_avx512;

static inline bool cjose_cpu_has_avx2(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
}
static inline bool cjose_cpu_has_avx512(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
}
#elif defined(__aarch64__)
extern const cjose_kernels cjose_kernels_neon;
#endif

#pragma clang assume_nonnull end
#endif
