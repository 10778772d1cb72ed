#if defined(CJOSE_ACCELERATED)
#include "p256.h"

#include <time.h>

enum { PASS = 64, ROUNDS = 21 };

void p256_check(dice *dice, size_t count) {
    if (cjose_kernel_form_current() == cjose_kernel_form_openssl) {
        puts("  not covered");
        return;
    }
    p256_check_arithmetic(dice, count);
    p256_check_lanes(dice, count);
    const bool whole = count >= 10000;
    p256_check_tables(dice, whole);
    p256_check_edges(dice, whole);
    p256_check_sums(dice, whole);
    p256_check_random(dice, count);
}

typedef struct bench_case {
    p256_case cases[PASS];
    const cjose_kernel_p256_key *keys[PASS];
    const uint8_t *digests[PASS], *signatures[PASS];
    EVP_PKEY_CTX *contexts[PASS];
    uint8_t der[PASS][80];
    size_t der_bytes[PASS];
} bench_case;

/// Prepares contexts, one for each key, and signatures in the form of EVP.
static void prepare(dice *dice, p256_pair *pairs, size_t keys, bench_case *out) {
    BIGNUM *u1 = BN_new(), *u2 = BN_new();
    for (size_t i = 0; i < PASS; i++) {
        p256_scalar(dice, u1), p256_scalar(dice, u2);
        p256_case *one = &out->cases[i];
        p256_case_of_scalars(one, &pairs[i % keys], u1, u2);
        out->keys[i] = one->key->lanes, out->digests[i] = one->digest, out->signatures[i] = one->signature;
        ECDSA_SIG *signature = ECDSA_SIG_new();
        BIGNUM *r = BN_bin2bn(one->signature, 32, NULL), *s = BN_bin2bn(one->signature + 32, 32, NULL);
        need(signature && ECDSA_SIG_set0(signature, r, s), "libcrypto");
        uint8_t *end = out->der[i];
        out->der_bytes[i] = (size_t)i2d_ECDSA_SIG(signature, &end);
        ECDSA_SIG_free(signature);
        out->contexts[i] = out->contexts[i % keys];
        if (i >= keys) continue;
        EVP_PKEY *key = EVP_PKEY_new();
        need(key && EVP_PKEY_set1_EC_KEY(key, pairs[i].openssl) == 1, "libcrypto");
        out->contexts[i] = EVP_PKEY_CTX_new(key, NULL);
        need(out->contexts[i] && EVP_PKEY_verify_init(out->contexts[i]) == 1, "libcrypto");
        EVP_PKEY_free(key);
    }
    BN_free(u1), BN_free(u2);
}
static uint8_t evp_verify(const bench_case *from, size_t i) {
    return EVP_PKEY_verify(from->contexts[i], from->der[i], from->der_bytes[i], from->digests[i], 32) == 1;
}

/// Returns the processor time of this process: other processes may be running on the machine.
static double processor_seconds(void) {
    struct timespec now;
    need(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0, "clock_gettime");
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static void bench(dice *dice, size_t keys, size_t size) {
    p256_pair pairs[PASS];
    bench_case from;
    uint8_t results[PASS];
    BIGNUM *d = BN_new();
    for (size_t i = 0; i < keys; i++) p256_scalar(dice, d), pairs[i] = p256_pair_of_scalar(d);
    prepare(dice, pairs, keys, &from);
    // An invalid signature is rejected before anything is timed.
    from.cases[3].signature[40] ^= 1;
    cjose_kernel_p256_verify(from.keys, from.digests, from.signatures, PASS, results);
    for (size_t i = 0; i < PASS; i++) need(results[i] == (i != 3) && evp_verify(&from, i), "refusing a broken signature");
    from.cases[3].signature[40] ^= 1;
    double ratios[ROUNDS], ours[ROUNDS], theirs[ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        double begun = processor_seconds();
        for (size_t i = 0; i < 4 * PASS; i++) need(evp_verify(&from, i % PASS), "EVP_PKEY_verify");
        theirs[round] = (processor_seconds() - begun) / (4 * PASS);
        begun = processor_seconds();
        for (size_t pass = 0; pass < 16; pass++)
            for (size_t i = 0; i < PASS; i += size) {
                size_t part = PASS - i < size ? PASS - i : size;
                cjose_kernel_p256_verify(from.keys + i, from.digests + i, from.signatures + i, part, results);
                need(results[pass % part] == cjose_kernel_valid, "cjose_kernel_p256_verify");
            }
        ours[round] = (processor_seconds() - begun) / (16 * PASS);
        ratios[round] = theirs[round] / ours[round];
    }
    printf("  ES256, %zu at once, %zu %s: kernel %.2f us, EVP_PKEY_verify with a kept context %.2f us, ratio %.2f\n", size,
           keys, keys == 1 ? "key" : "keys", 1e6 * median(ours, ROUNDS), 1e6 * median(theirs, ROUNDS),
           median(ratios, ROUNDS));
    for (size_t i = 0; i < keys; i++) p256_pair_end(&pairs[i]), EVP_PKEY_CTX_free(from.contexts[i]);
    BN_free(d);
}
void p256_bench(dice *dice) {
    static const size_t sizes[] = {1, 2, 4, 8, 64};
    if (cjose_kernel_form_current() == cjose_kernel_form_openssl) {
        puts("  not covered");
        return;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) bench(dice, 1, sizes[i]);
    bench(dice, PASS, 1), bench(dice, PASS, PASS);
}
#endif
