#if defined(CJOSE_ACCELERATED)
#include "rsa.h"

#if defined(__x86_64__)
#include "rsa_ifma.h"
#include "sha2_ifma.h"

// FIPS 180-4, 4.2.2, 4.2.3 and 5.3: the first bits of the fractional parts of the cube roots of the first primes, and of their
// square roots: 64 of them for SHA-512, the upper 32 for SHA-256. SHA-384 begins with the second eight.
static const uint64_t cube_roots[80] = {
    0x428A2F98D728AE22, 0x7137449123EF65CD, 0xB5C0FBCFEC4D3B2F, 0xE9B5DBA58189DBBC, 0x3956C25BF348B538,
    0x59F111F1B605D019, 0x923F82A4AF194F9B, 0xAB1C5ED5DA6D8118, 0xD807AA98A3030242, 0x12835B0145706FBE,
    0x243185BE4EE4B28C, 0x550C7DC3D5FFB4E2, 0x72BE5D74F27B896F, 0x80DEB1FE3B1696B1, 0x9BDC06A725C71235,
    0xC19BF174CF692694, 0xE49B69C19EF14AD2, 0xEFBE4786384F25E3, 0x0FC19DC68B8CD5B5, 0x240CA1CC77AC9C65,
    0x2DE92C6F592B0275, 0x4A7484AA6EA6E483, 0x5CB0A9DCBD41FBD4, 0x76F988DA831153B5, 0x983E5152EE66DFAB,
    0xA831C66D2DB43210, 0xB00327C898FB213F, 0xBF597FC7BEEF0EE4, 0xC6E00BF33DA88FC2, 0xD5A79147930AA725,
    0x06CA6351E003826F, 0x142929670A0E6E70, 0x27B70A8546D22FFC, 0x2E1B21385C26C926, 0x4D2C6DFC5AC42AED,
    0x53380D139D95B3DF, 0x650A73548BAF63DE, 0x766A0ABB3C77B2A8, 0x81C2C92E47EDAEE6, 0x92722C851482353B,
    0xA2BFE8A14CF10364, 0xA81A664BBC423001, 0xC24B8B70D0F89791, 0xC76C51A30654BE30, 0xD192E819D6EF5218,
    0xD69906245565A910, 0xF40E35855771202A, 0x106AA07032BBD1B8, 0x19A4C116B8D2D0C8, 0x1E376C085141AB53,
    0x2748774CDF8EEB99, 0x34B0BCB5E19B48A8, 0x391C0CB3C5C95A63, 0x4ED8AA4AE3418ACB, 0x5B9CCA4F7763E373,
    0x682E6FF3D6B2B8A3, 0x748F82EE5DEFB2FC, 0x78A5636F43172F60, 0x84C87814A1F0AB72, 0x8CC702081A6439EC,
    0x90BEFFFA23631E28, 0xA4506CEBDE82BDE9, 0xBEF9A3F7B2C67915, 0xC67178F2E372532B, 0xCA273ECEEA26619C,
    0xD186B8C721C0C207, 0xEADA7DD6CDE0EB1E, 0xF57D4F7FEE6ED178, 0x06F067AA72176FBA, 0x0A637DC5A2C898A6,
    0x113F9804BEF90DAE, 0x1B710B35131C471B, 0x28DB77F523047D84, 0x32CAAB7B40C72493, 0x3C9EBE0A15C9BEBC,
    0x431D67C49C100D4C, 0x4CC5D4BECB3E42B6, 0x597F299CFC657E2A, 0x5FCB6FAB3AD6FAEC, 0x6C44198C4A475817,
};
static const uint64_t square_roots[16] = {
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1, 0x510E527FADE682D1,
    0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179, 0xCBBB9D5DC1059ED8, 0x629A292A367CD507,
    0x9159015A3070DD17, 0x152FECD8F70E5939, 0x67332667FFC00B31, 0x8EB44A8768581511, 0xDB0C2E0D64F98FA7,
    0x47B5481DBEFA4FA4,
};

typedef uint32_t halves __attribute__((vector_size(32)));

#define ROTATED(x, by) ((x) >> (by) | (x) << (8 * sizeof((x)[0]) - (by)))
#define SIGMA(x, a, b, c) (ROTATED(x, a) ^ ROTATED(x, b) ^ ROTATED(x, c))
#define SIGMA_SHIFTED(x, a, b, c) (ROTATED(x, a) ^ ROTATED(x, b) ^ (x) >> (c))

/// Defines the compression of FIPS 180-4, 6.2.2 and 6.4.2, which differ in the width of the words, the number of rounds and the
/// rotations.
#define COMPRESSION(name, words, drop, rounds, A, B, C, D, E, F, G, H, I, J, K, L)                                             \
    IFMA static void name(words state[8], words w[16]) {                                                                     \
        words v[8];                                                                                                          \
        for (int i = 0; i < 8; i++) v[i] = state[i];                                                                         \
        for (int round = 0; round < (rounds); round += 16) {                                                                 \
            _Pragma("clang loop unroll(full)") for (int i = 0; i < 16; i++) {                                                \
                words a = v[-i & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7], e = v[(4 - i) & 7];                             \
                if (round != 0) {                                                                                            \
                    words near = w[(i + 14) & 15], far = w[(i + 1) & 15];                                                    \
                    w[i] += SIGMA_SHIFTED(near, J, K, L) + w[(i + 9) & 15] + SIGMA_SHIFTED(far, G, H, I);                    \
                }                                                                                                            \
                words sum = v[(7 - i) & 7] + SIGMA(e, D, E, F) + ((e & v[(5 - i) & 7]) ^ (~e & v[(6 - i) & 7])) + w[i];      \
                sum += (__typeof__(sum[0]))(cube_roots[round + i] >> (drop));                                                \
                v[(3 - i) & 7] += sum;                                                                                       \
                v[(7 - i) & 7] = sum + SIGMA(a, A, B, C) + ((a & b) ^ (a & c) ^ (b & c));                                    \
            }                                                                                                                \
        }                                                                                                                    \
        for (int i = 0; i < 8; i++) state[i] += v[i];                                                                        \
    }

COMPRESSION(compress32, halves, 32, 64, 2, 13, 22, 6, 11, 25, 7, 18, 3, 17, 19, 10)
COMPRESSION(compress64, sha2_words, 0, 80, 28, 34, 39, 14, 18, 41, 1, 8, 7, 19, 61, 6)

IFMA static void hash32(const sha2_words *text, size_t blocks, sha2_words digest[8]) {
    halves state[8], w[16];
    for (int i = 0; i < 8; i++) state[i] = (halves){0} + (uint32_t)(square_roots[i] >> 32);
    for (size_t block = 0; block < blocks; block++) {
        for (size_t i = 0; i < 16; i++) w[i] = __builtin_convertvector(text[16 * block + i], halves);
        compress32(state, w);
    }
    for (int i = 0; i < 8; i++) digest[i] = __builtin_convertvector(state[i], sha2_words);
}

IFMA static void hash64(const uint64_t *begin, const sha2_words *text, size_t blocks, sha2_words digest[8]) {
    sha2_words w[16];
    for (int i = 0; i < 8; i++) digest[i] = (sha2_words){0} + begin[i];
    for (size_t block = 0; block < blocks; block++) {
        for (size_t i = 0; i < 16; i++) w[i] = text[16 * block + i];
        compress64(digest, w);
    }
}

IFMA void cjose_kernel_sha2(int bits, sha2_words text[32], size_t length, sha2_words digest[8]) {
    size_t word = bits == 256 ? 4 : 8, whole = length / word;
    // The padding is the bit 1, in the last word or behind it, and two words of length.
    size_t end = whole + 3 <= 16 ? 16 : 32;
    for (size_t i = (length + word - 1) / word; i < end - 1; i++) text[i] = (sha2_words){0};
    text[end - 1] = (sha2_words){0} + 8 * length;
    text[whole] |= (uint64_t)0x80 << (8 * (word - 1 - length % word));
    if (bits == 256) hash32(text, end / 16, digest);
    else hash64(square_roots + (bits == 384 ? 8 : 0), text, end / 16, digest);
}
#endif
#endif
