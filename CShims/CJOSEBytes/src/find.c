#include "CJOSEBytes.h"
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

size_t cjose_find_dots(const void *in, size_t n, size_t *dots, size_t max) {
    const uint8_t *start = in, *at = in;
    size_t found = 0;
    while (n != 0) {
        const uint8_t *dot = memchr(at, '.', n);
        if (!dot) break;
        if (found == max) return max + 1;
        dots[found++] = (size_t)(dot - start);
        n -= (size_t)(dot - at) + 1;
        at = dot + 1;
    }
    return found;
}

static inline bool is_plain(uint8_t byte) {
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

size_t cjose_json_run(const void *in, size_t n) {
    const uint8_t *bytes = in;
    size_t i = 0;
#if defined(__SSE2__)
    for (; n - i >= 16; i += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(bytes + i));
        // Signed: 0x80...0xFF are negative, so one comparison finds them and the control characters.
        __m128i stops = _mm_or_si128(
            _mm_cmplt_epi8(block, _mm_set1_epi8(0x20)),
            _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))));
        int mask = _mm_movemask_epi8(stops);
        if (mask != 0) return i + (size_t)__builtin_ctz((unsigned)mask);
    }
#elif defined(__aarch64__)
    for (; n - i >= 16; i += 16) {
        int8x16_t block = vreinterpretq_s8_u8(vld1q_u8(bytes + i));
        uint8x16_t stops = vorrq_u8(
            vcltq_s8(block, vdupq_n_s8(0x20)),
            vorrq_u8(vceqq_s8(block, vdupq_n_s8('"')), vceqq_s8(block, vdupq_n_s8('\\'))));
        // Four bits a byte: the NEON stand-in for a mask of bytes.
        uint64_t mask = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(stops), 4)), 0);
        if (mask != 0) return i + (size_t)(__builtin_ctzll(mask) >> 2);
    }
#endif
    while (i < n && is_plain(bytes[i])) i++;
    return i;
}

/// The length of the well-formed sequence at `at` that begins with `lead`, 0x80 or more; or 0 (RFC 3629, 4).
static inline size_t sequence(const uint8_t *at, size_t n, uint8_t lead) {
    if (lead < 0xC2 || n < 2) return 0;
    uint8_t low = 0x80, high = 0xBF;
    size_t length = 2;
    if (lead >= 0xF0) {
        if (lead > 0xF4) return 0;
        length = 4;
        if (lead == 0xF0) low = 0x90;
        if (lead == 0xF4) high = 0x8F;
    } else if (lead >= 0xE0) {
        length = 3;
        if (lead == 0xE0) low = 0xA0;
        if (lead == 0xED) high = 0x9F;
    }
    if (n < length || at[1] < low || at[1] > high) return 0;
    for (size_t i = 2; i < length; i++)
        if ((at[i] & 0xC0) != 0x80) return 0;
    return length;
}

size_t cjose_utf8_run(const void *in, size_t n) {
    const uint8_t *bytes = in;
    size_t i = 0;
    while (i < n && bytes[i] >= 0x80) {
        size_t length = sequence(bytes + i, n - i, bytes[i]);
        if (length == 0) break;
        i += length;
    }
    return i;
}

bool cjose_utf8_valid(const void *in, size_t n) {
    const uint8_t *bytes = in;
    size_t i = 0;
    while (i < n) {
        uint64_t word;
        if (n - i >= 8 && (memcpy(&word, bytes + i, 8), (word & 0x8080808080808080u) == 0)) {
            i += 8;
        } else if (bytes[i] < 0x80) {
            i += 1;
        } else {
            size_t length = sequence(bytes + i, n - i, bytes[i]);
            if (length == 0) return false;
            i += length;
        }
    }
    return true;
}
