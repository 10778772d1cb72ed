#include "cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET target("avx512f,avx512bw,avx512vl,avx512vbmi")
#define AVX512 __attribute__((TARGET, always_inline)) static inline

/// Returns a mask of the lowest `count` of 64 bytes; `count` is below 64.
static inline __mmask64 lowest(size_t count) { return ((__mmask64)1 << count) - 1; }

/// Encodes 48 bytes as 64 of text.
AVX512 __m512i encode_block(__m512i bytes, __m512i alphabet) {
    // Each three bytes as 1 0 2 1, so that every six bits are in a row.
    const __m512i spread = _mm512_setr_epi32(
        0x01020001, 0x04050304, 0x07080607, 0x0A0B090A, 0x0D0E0C0D, 0x10110F10, 0x13141213, 0x16171516, 0x191A1819,
        0x1C1D1B1C, 0x1F201E1F, 0x22232122, 0x25262425, 0x28292728, 0x2B2C2A2B, 0x2E2F2D2E);
    // Where in its eight bytes each six bits begin: 10, 4, 22, 16 and the same 32 further.
    const __m512i shifts = _mm512_set1_epi64(0x3036242A1016040A);
    __m512i values = _mm512_multishift_epi64_epi8(shifts, _mm512_permutexvar_epi8(spread, bytes));
    // Only six bits of each index are used: no mask is needed.
    return _mm512_permutexvar_epi8(values, alphabet);
}

/// Decodes 64 bytes of text to 48 and sixteen zeros; a byte outside the alphabet sets the top bit of its byte in `bad`.
AVX512 __m512i decode_block(__m512i text, __m512i low, __m512i high, __m512i *bad) {
    __m512i values = _mm512_sub_epi8(_mm512_permutex2var_epi8(low, text, high), _mm512_set1_epi8(1));
    // The look-up takes seven bits of the text; the eighth is bad by itself.
    *bad = _mm512_or_si512(*bad, _mm512_or_si512(text, values));
    __m512i pairs = _mm512_maddubs_epi16(values, _mm512_set1_epi32(0x01400140));
    __m512i words = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00011000));
    const __m512i gather = _mm512_setr_epi32(
        0x06000102, 0x090A0405, 0x0C0D0E08, 0x16101112, 0x191A1415, 0x1C1D1E18, 0x26202122, 0x292A2425, 0x2C2D2E28,
        0x36303132, 0x393A3435, 0x3C3D3E38, 0, 0, 0, 0);
    return _mm512_maskz_permutexvar_epi8(lowest(48), gather, words);
}

__attribute__((TARGET)) static void encode(const uint8_t *in, size_t n, uint8_t *out) {
    const __m512i alphabet = _mm512_loadu_si512(cjose_base64url_alphabet);
    for (; n >= 64; in += 48, out += 64, n -= 48)
        _mm512_storeu_si512(out, encode_block(_mm512_loadu_si512(in), alphabet));
    if (n >= 48) {
        _mm512_storeu_si512(out, encode_block(_mm512_maskz_loadu_epi8(lowest(48), in), alphabet));
        in += 48, out += 64, n -= 48;
    }
    if (n == 0) return;
    __m512i text = encode_block(_mm512_maskz_loadu_epi8(lowest(n), in), alphabet);
    _mm512_mask_storeu_epi8(out, lowest((n * 4 + 2) / 3), text);
}

__attribute__((TARGET)) static bool decode(const uint8_t *in, size_t n, uint8_t *out) {
    const __m512i low = _mm512_loadu_si512(cjose_base64url_positions);
    const __m512i high = _mm512_loadu_si512(cjose_base64url_positions + 64);
    __m512i bad = _mm512_setzero_si512();
    // 86 more bytes make 64: a whole vector may be written, and its excess is overwritten later. In place nothing
    // unread is overwritten, because the output ends no later than the input that was read.
    for (; n >= 86; in += 64, out += 48, n -= 64)
        _mm512_storeu_si512(out, decode_block(_mm512_loadu_si512(in), low, high, &bad));
    if (n >= 64) {
        _mm512_mask_storeu_epi8(out, lowest(48), decode_block(_mm512_loadu_si512(in), low, high, &bad));
        in += 64, out += 48, n -= 64;
    }
    bool clean = true;
    if (n != 0) {
        // Missing bytes are read as `A`, which is 0: bytes beyond the end are then the unused bits, or zero.
        __m512i text = _mm512_mask_loadu_epi8(_mm512_set1_epi8('A'), lowest(n), in);
        __m512i bytes = decode_block(text, low, high, &bad);
        __mmask64 whole = lowest(n * 3 / 4);
        clean = (_mm512_test_epi8_mask(bytes, bytes) & ~whole) == 0;
        _mm512_mask_storeu_epi8(out, whole, bytes);
    }
    return clean & (_mm512_movepi8_mask(bad) == 0);
}

const cjose_kernels cjose_kernels_avx512 = {cjose_form_avx512, encode, decode};
#endif
