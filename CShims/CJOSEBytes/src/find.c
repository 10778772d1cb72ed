#include "CJOSEBytes.h"
#include <string.h>
#if defined(__aarch64__)
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

/// Returns the index of the first of eight bytes that ends a plain run, or 8. The borrow of a subtraction may mark a byte above
/// the first that is found; none below.
static inline size_t first_stop(const uint8_t *at) {
    const uint64_t ones = 0x0101010101010101u;
    uint64_t word;
    memcpy(&word, at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
    uint64_t stops = (word | (word - ones * 0x20) | (quote - ones) | (backslash - ones)) & ones * 0x80;
    return stops == 0 ? 8 : (size_t)__builtin_ctzll(stops) / 8;
}

size_t cjose_json_run_on(const void *in, size_t n) {
    const uint8_t *bytes = in;
    size_t i = 0;
#if defined(__SSE2__)
    for (; n - i >= 16; i += 16) {
        cjose_block block = cjose_block_load(bytes + i);
        size_t run = cjose_block_first((block < 0x20) | (block == '"') | (block == '\\'));
        if (run < 16) return i + run;
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
    for (; n - i >= 8; i += 8) {
        size_t run = first_stop(bytes + i);
        if (run < 8) return i + run;
    }
    // The last bytes are read together with those before them, which are known to be plain.
    if (n >= 8 && i < n) return n - 8 + first_stop(bytes + n - 8);
    while (i < n && bytes[i] >= 0x20 && bytes[i] < 0x80 && bytes[i] != '"' && bytes[i] != '\\') i++;
    return i;
}

size_t cjose_digit_run_on(const void *in, size_t n) {
    const uint8_t *bytes = in;
    size_t i = 0;
    while (i < n && (uint8_t)(bytes[i] - '0') < 10) i++;
    return i;
}

/// Returns the length of the well-formed sequence at `at` that begins with `lead`, 0x80 or more; 0 where there is none (RFC 3629,
/// 4).
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
    const uint64_t tops = 0x8080808080808080u;
    size_t i = 0;
    while (i < n) {
        uint64_t words[4];
        if (n - i >= sizeof words &&
            (memcpy(words, bytes + i, sizeof words), ((words[0] | words[1] | words[2] | words[3]) & tops) == 0)) {
            i += sizeof words;
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
