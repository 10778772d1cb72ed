#include "cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2"), always_inline)) static inline

/// Returns 16 bytes in both lanes.
AVX2 __m256i twice(__m128i lane) { return _mm256_broadcastsi128_si256(lane); }

/// Encodes 24 bytes, twelve at the bottom of each lane, as 32 of text.
AVX2 __m256i encode_block(__m256i bytes) {
    // Each three bytes as 1 0 2 1: every six bits then lie in one 16-bit half.
    const __m256i spread = twice(_mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
    __m256i words = _mm256_shuffle_epi8(bytes, spread);
    // Shifts right by 10 and 6, and left by 4 and 8, as multiplications: one shift for each half.
    __m256i even = _mm256_mulhi_epu16(
        _mm256_and_si256(words, _mm256_set1_epi32(0x0FC0FC00)), _mm256_set1_epi32(0x04000040));
    __m256i odd = _mm256_mullo_epi16(
        _mm256_and_si256(words, _mm256_set1_epi32(0x003F03F0)), _mm256_set1_epi32(0x01000010));
    __m256i values = _mm256_or_si256(even, odd);
    // 0 for A-Z, 1 for a-z, 2...11 for the digits, 12 and 13 for the last two: what to add to the value.
    __m256i row = _mm256_sub_epi8(
        _mm256_subs_epu8(values, _mm256_set1_epi8(51)), _mm256_cmpgt_epi8(values, _mm256_set1_epi8(25)));
    const __m256i steps = twice(_mm_setr_epi8(
        'A', 'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
        '0' - 52, '-' - 62, '_' - 63, 0, 0));
    return _mm256_add_epi8(values, _mm256_shuffle_epi8(steps, row));
}

/// Decodes 32 bytes of text to 24, in two lanes of twelve and four zeros; bytes outside the alphabet leave bits in `bad`.
AVX2 __m256i decode_block(__m256i text, __m256i *bad) {
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256i high = _mm256_and_si256(_mm256_srli_epi32(text, 4), nibble);
    __m256i low = _mm256_and_si256(text, nibble);
    // One bit for each kind of row of the ASCII table: rows 2, 3, 4 and 6, 5, 7, and those without any letter.
    const __m256i rows = twice(_mm_setr_epi8(
        0x20, 0x20, 0x01, 0x02, 0x04, 0x08, 0x04, 0x10, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20));
    // For each column, the kinds of row in which it is outside the alphabet.
    const __m256i columns = twice(_mm_setr_epi8(
        0x25, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x23, 0x3B, 0x3B, 0x3A, 0x3B, 0x33));
    *bad = _mm256_or_si256(
        *bad, _mm256_and_si256(_mm256_shuffle_epi8(rows, high), _mm256_shuffle_epi8(columns, low)));
    // The row says what to add, but for `_`, which shares one with P...Z.
    const __m256i steps = twice(_mm_setr_epi8(
        0, 0, 62 - '-', 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0, 0, 0, 0, 0, 0, 0, 0));
    __m256i underscore = _mm256_and_si256(
        _mm256_cmpeq_epi8(text, _mm256_set1_epi8('_')), _mm256_set1_epi8(63 - '_' + 'A'));
    __m256i values = _mm256_add_epi8(text, _mm256_add_epi8(_mm256_shuffle_epi8(steps, high), underscore));
    // Four times six bits to 24: by pairs, then by pairs of pairs.
    __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
    __m256i words = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    const __m256i gather = twice(_mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
    return _mm256_shuffle_epi8(words, gather);
}

__attribute__((target("avx2"))) static void encode(const uint8_t *in, size_t n, uint8_t *out) {
    // Both loads take sixteen bytes for the twelve they use, so four more than 24 must be there.
    for (; n >= 28; in += 24, out += 32, n -= 24) {
        __m128i first = _mm_loadu_si128((const __m128i *)in);
        __m128i second = _mm_loadu_si128((const __m128i *)(in + 12));
        _mm256_storeu_si256((__m256i *)out, encode_block(_mm256_set_m128i(second, first)));
    }
    for (; n >= 16; in += 12, out += 16, n -= 12) {
        __m256i bytes = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)in));
        _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(encode_block(bytes)));
    }
    cjose_base64url_encode_portable(in, n, out);
}

__attribute__((target("avx2"))) static bool decode(const uint8_t *in, size_t n, uint8_t *out) {
    __m256i bad = _mm256_setzero_si256();
    const __m256i join = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
    // 44 more bytes make 33: a whole vector may be written, and its excess is overwritten later. In place nothing unread is
    // overwritten, because the output ends no later than the input that was read.
    for (; n >= 44; in += 32, out += 24, n -= 32) {
        __m256i block = decode_block(_mm256_loadu_si256((const __m256i *)in), &bad);
        _mm256_storeu_si256((__m256i *)out, _mm256_permutevar8x32_epi32(block, join));
    }
    // One lane follows: 22 bytes make 16.
    for (; n >= 22; in += 16, out += 12, n -= 16) {
        __m256i text = _mm256_set_m128i(_mm_set1_epi8('A'), _mm_loadu_si128((const __m128i *)in));
        _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(decode_block(text, &bad)));
    }
    bool tail = n == 0 || cjose_base64url_decode_portable(in, n, out);
    return tail & (_mm256_testz_si256(bad, bad) != 0);
}

const cjose_kernels cjose_kernels_avx2 = {cjose_form_avx2, encode, decode};
#endif
