#if defined(CJOSE_ACCELERATED)
#include "p256_internal.h"

/// The offsets: half of 2^(bits * windows) - 1 modulo n, for Q and for G.
static const p256_words q_offset = {{0x86231a9e81ce6d57u, 0x218c82a92c7430bdu, 0x8000000000000000u, 0x000000007fffffffu}};
static const p256_words g_offset = {{0x9cf783e34c9eea28u, 0x6af6268347bc8cc8u, 0x8000000000000021u, 0x8000007f7fffff80u}};

/// Writes `u + offset` modulo n in windows: digits with the top bit stand for themselves, the others for negatives.
__attribute__((always_inline)) static inline void write_digits(
    const p256_words *u, const p256_words *offset, unsigned windows, unsigned bits, uint16_t *digits) {
    const p256_words e = p256_add_mod(u, offset, &p256_n);
    const uint32_t mask = (1u << (bits - 1)) - 1;
    P256_UNROLL for (unsigned window = 0; window < windows; window++) {
        unsigned at = window * bits, word = at / 64, shift = at % 64;
        uint64_t value = e.w[word] >> shift;
        if (shift + bits > 64 && word < 3) value |= e.w[word + 1] << (64 - shift);
        uint32_t digit = (uint32_t)value & (mask * 2 + 1);
        digits[window] = (uint16_t)(digit > mask ? digit & mask : (~digit & mask) | 0x8000);
    }
}

static bool is_in_range(const p256_words *a) { return !p256_is_zero(a) && p256_is_below(a, &p256_n); }

/// Verifies up to `P256_CHUNK` signatures.
static void verify_chunk(
    cjose_kernel_form form, const cjose_kernel_p256_key *const *keys, const uint8_t *const *digests,
    const uint8_t *const *signatures, size_t count, uint8_t *results) {
    p256_job jobs[P256_CHUNK];
    p256_words z[P256_CHUNK], s[P256_CHUNK], products[P256_CHUNK];
    size_t pending = 0;
    for (size_t i = 0; i < count; i++) {
        p256_job *job = &jobs[pending];
        job->r = p256_load(signatures[i]), s[pending] = p256_load(signatures[i] + 32);
        results[i] = cjose_kernel_invalid;
        if (!is_in_range(&job->r) || !is_in_range(&s[pending])) continue;
        z[pending] = p256_load(digests[i]);
        job->table = &keys[i]->table[0][0], job->result = &results[i];
        products[pending] = pending == 0 ? s[0] : p256_scalar_mul(&s[pending], &products[pending - 1]);
        pending++;
    }
    if (pending == 0) return;
    // The factor 2^512 / 2 halves an inverse, and compensates for the 2^256 that each product drops.
    static const p256_words half = {{0x4192264adf3cf751u, 0xa34cbcce24deb7d3u, 0x1422d91c95b5f62cu, 0x337096ca79ecab10u}};
    p256_words inverse = p256_inverse(&products[pending - 1], &p256_n, p256_n_low), w, u;
    inverse = p256_scalar_mul(&inverse, &half);
    for (size_t i = pending; i-- > 0;) {
        w = i == 0 ? inverse : p256_scalar_mul(&inverse, &products[i - 1]);
        inverse = p256_scalar_mul(&inverse, &s[i]);
        u = p256_scalar_mul(&z[i], &w);
        write_digits(&u, &g_offset, P256_G_WINDOWS, P256_G_BITS, jobs[i].digits);
        u = p256_scalar_mul(&jobs[i].r, &w);
        write_digits(&u, &q_offset, P256_Q_WINDOWS, P256_Q_BITS, jobs[i].digits + P256_G_WINDOWS);
    }
#if defined(__x86_64__)
    if (form == cjose_kernel_form_ifma) {
        p256_finish_ifma(jobs, pending);
        return;
    }
#endif
    (void)form;
    p256_finish_portable(jobs, pending);
}

void cjose_kernel_p256_verify(
    const cjose_kernel_p256_key *const *keys, const uint8_t *const *digests, const uint8_t *const *signatures,
    size_t count, uint8_t *results) {
    const cjose_kernel_form form = cjose_kernel_form_current();
    if (form == cjose_kernel_form_openssl) {
        for (size_t i = 0; i < count; i++) results[i] = cjose_kernel_not_covered;
        return;
    }
    for (size_t done = 0; done < count; done += P256_CHUNK)
        verify_chunk(
            form, keys + done, digests + done, signatures + done, count - done < P256_CHUNK ? count - done : P256_CHUNK,
            results + done);
}
#endif
