#include "cpu.h"

#define alphabet cjose_base64url_alphabet

const uint8_t cjose_base64url_alphabet[64] = {
    'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R', 'S', 'T', 'U', 'V',
    'W', 'X', 'Y', 'Z', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r',
    's', 't', 'u', 'v', 'w', 'x', 'y', 'z', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '-', '_',
};

const uint8_t cjose_base64url_positions[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['-'] = 63, ['_'] = 64,
};

/// Returns the value 0...63 of a byte, or 0xFF.
static inline uint8_t value(uint8_t byte) { return (uint8_t)(cjose_base64url_positions[byte] - 1); }

void cjose_base64url_encode_portable(const uint8_t *in, size_t n, uint8_t *out) {
    while (n >= 3) {
        uint32_t word = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
        out[0] = alphabet[word >> 18];
        out[1] = alphabet[word >> 12 & 63];
        out[2] = alphabet[word >> 6 & 63];
        out[3] = alphabet[word & 63];
        in += 3;
        out += 4;
        n -= 3;
    }
    if (n == 0) return;
    out[0] = alphabet[in[0] >> 2];
    if (n == 1) {
        out[1] = alphabet[(in[0] & 3) << 4];
    } else {
        out[1] = alphabet[(in[0] & 3) << 4 | in[1] >> 4];
        out[2] = alphabet[(in[1] & 15) << 2];
    }
}

bool cjose_base64url_decode_portable(const uint8_t *in, size_t n, uint8_t *out) {
    uint8_t bad = 0;
    while (n >= 4) {
        uint8_t a = value(in[0]), b = value(in[1]), c = value(in[2]), d = value(in[3]);
        bad |= a | b | c | d;
        out[0] = (uint8_t)(a << 2 | b >> 4);
        out[1] = (uint8_t)(b << 4 | c >> 2);
        out[2] = (uint8_t)(c << 6 | d);
        in += 4;
        out += 3;
        n -= 4;
    }
    if (n == 1) return false;
    if (n >= 2) {
        uint8_t a = value(in[0]), b = value(in[1]), unused = b & 15;
        bad |= a | b;
        out[0] = (uint8_t)(a << 2 | b >> 4);
        if (n == 3) {
            uint8_t c = value(in[2]);
            bad |= c;
            out[1] = (uint8_t)(b << 4 | c >> 2);
            unused = c & 3;
        }
        if (unused != 0) return false;
    }
    return (bad & 0xC0) == 0;
}

static const cjose_kernels portable = {
    cjose_form_portable, cjose_base64url_encode_portable, cjose_base64url_decode_portable};

/// The form in use. It is atomic so that forcing a form in one test is no race with another; a relaxed load costs what
/// a plain one does.
static const cjose_kernels *_Atomic current = &portable;
static _Atomic(bool) is_forced = false;

static const cjose_kernels *kernels(void) { return __c11_atomic_load(&current, __ATOMIC_RELAXED); }

cjose_form cjose_form_current(void) { return kernels()->form; }

static const cjose_kernels *_Nullable kernels_for(cjose_form form) {
    switch (form) {
    case cjose_form_portable: return &portable;
#if defined(__x86_64__)
    case cjose_form_avx2: return cjose_cpu_has_avx2() ? &cjose_kernels_avx2 : NULL;
    case cjose_form_avx512: return cjose_cpu_has_avx512() ? &cjose_kernels_avx512 : NULL;
#elif defined(__aarch64__)
    case cjose_form_neon: return &cjose_kernels_neon;
#endif
    default: return NULL;
    }
}

bool cjose_form_force(cjose_form form) {
    const cjose_kernels *chosen = kernels_for(form);
    if (!chosen) return false;
    __c11_atomic_store(&is_forced, true, __ATOMIC_RELAXED);
    __c11_atomic_store(&current, chosen, __ATOMIC_RELAXED);
    return true;
}

/// Chooses the best form. Constructors run in no particular order: a form that another one has forced stays.
__attribute__((constructor)) static void choose(void) {
    static const cjose_form best_first[] = {cjose_form_avx512, cjose_form_avx2, cjose_form_neon, cjose_form_portable};
    if (__c11_atomic_load(&is_forced, __ATOMIC_RELAXED)) return;
    const cjose_kernels *chosen = NULL;
    for (size_t i = 0; chosen == NULL; i++) chosen = kernels_for(best_first[i]);
    __c11_atomic_store(&current, chosen, __ATOMIC_RELAXED);
}

void cjose_base64url_encode(const void *in, size_t n, void *out) {
    if (n != 0) kernels()->encode(in, n, out);
}

bool cjose_base64url_decode(const void *in, size_t n, void *out) {
    if (n == 0) return true;
    if (n % 4 == 1) return false;
    return kernels()->decode(in, n, out);
}
