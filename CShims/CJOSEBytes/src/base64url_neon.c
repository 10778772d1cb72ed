#include "cpu.h"

#if defined(__aarch64__)
#include <arm_neon.h>

static void encode(const uint8_t *in, size_t n, uint8_t *out) {
    const uint8x16x4_t alphabet = vld1q_u8_x4(cjose_base64url_alphabet);
    const uint8x16_t six = vdupq_n_u8(63);
    for (; n >= 48; in += 48, out += 64, n -= 48) {
        uint8x16x3_t bytes = vld3q_u8(in);
        uint8x16x4_t text;
        text.val[0] = vqtbl4q_u8(alphabet, vshrq_n_u8(bytes.val[0], 2));
        text.val[1] = vqtbl4q_u8(alphabet, vandq_u8(vsliq_n_u8(vshrq_n_u8(bytes.val[1], 4), bytes.val[0], 4), six));
        text.val[2] = vqtbl4q_u8(alphabet, vandq_u8(vsliq_n_u8(vshrq_n_u8(bytes.val[2], 6), bytes.val[1], 2), six));
        text.val[3] = vqtbl4q_u8(alphabet, vandq_u8(bytes.val[2], six));
        vst4q_u8(out, text);
    }
    cjose_base64url_encode_portable(in, n, out);
}

static bool decode(const uint8_t *in, size_t n, uint8_t *out) {
    const uint8x16x4_t low = vld1q_u8_x4(cjose_base64url_positions);
    const uint8x16x4_t high = vld1q_u8_x4(cjose_base64url_positions + 64);
    uint8x16_t bad = vdupq_n_u8(0);
    for (; n >= 64; in += 64, out += 48, n -= 64) {
        uint8x16x4_t text = vld4q_u8(in);
        uint8x16_t values[4];
        for (int i = 0; i < 4; i++) {
            // An index beyond a table gives 0, which is also the position of what is outside the alphabet.
            uint8x16_t lower = vqtbl4q_u8(low, text.val[i]);
            uint8x16_t upper = vqtbl4q_u8(high, vsubq_u8(text.val[i], vdupq_n_u8(64)));
            values[i] = vsubq_u8(vorrq_u8(lower, upper), vdupq_n_u8(1));
            bad = vorrq_u8(bad, values[i]);
        }
        uint8x16x3_t bytes;
        bytes.val[0] = vsliq_n_u8(vshrq_n_u8(values[1], 4), values[0], 2);
        bytes.val[1] = vsliq_n_u8(vshrq_n_u8(values[2], 2), values[1], 4);
        bytes.val[2] = vsliq_n_u8(values[3], values[2], 6);
        vst3q_u8(out, bytes);
    }
    bool tail = n == 0 || cjose_base64url_decode_portable(in, n, out);
    return tail & (vmaxvq_u8(bad) < 64);
}

const cjose_kernels cjose_kernels_neon = {cjose_form_neon, encode, decode};
#endif
