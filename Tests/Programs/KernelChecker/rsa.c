#if defined(CJOSE_ACCELERATED)
#include <stdio.h>
#include <string.h>

#include "rsa.h"

static const int sizes[] = {2048, 3072, 4096};

static void check(dice *dice, int bits, size_t count) {
    static const unsigned exponents[KEYS] = {65537, 65537, 3};
    pair pairs[KEYS];
    for (size_t i = 0; i < KEYS; i++) pairs[i] = pair_make(bits, exponents[i], true);
    if (rsa_is_covered()) {
        rsa_check_edges(dice, bits);
        rsa_check_encodings(dice, &pairs[0]);
        rsa_check_powers(dice, bits, count);
        rsa_check_signatures(dice, pairs, count);
    } else {
        // Only the rejection of the key is checked.
        printf("  %d bits: not covered\n", bits);
    }
    for (size_t i = 0; i < KEYS; i++) pair_end(&pairs[i]);
}

void rsa_check(dice *dice, size_t count) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) check(dice, sizes[i], count);
}

#define ROUNDS 21
#define PASS 64

static void bench(dice *dice, int bits, cjose_kernel_rsa_scheme scheme, const char *name) {
    static uint8_t digests[PASS][64], signatures[PASS][RSA_MAX];
    pair pair = pair_make(bits, 65537, false);
    const cjose_kernel_rsa_key *keys[PASS];
    const uint8_t *digest_at[PASS], *signature_at[PASS];
    uint8_t results[PASS];
    for (size_t i = 0; i < PASS; i++) {
        keys[i] = pair.key;
        digest_at[i] = digests[i];
        signature_at[i] = signatures[i];
        dice_fill(dice, digests[i], sizeof digests[i]);
        pair_sign(&pair, scheme, digests[i], signatures[i]);
    }
    // An invalid signature is rejected by both before anything is timed.
    signatures[3][7] ^= 1;
    cjose_kernel_rsa_verify(scheme, keys, digest_at, signature_at, PASS, results);
    for (size_t i = 0; i < PASS; i++) {
        need(results[i] == (i == 3 ? cjose_kernel_invalid : cjose_kernel_valid), "refusing a broken signature");
        need(pair_verify(&pair, scheme, digests[i], signatures[i]) == results[i], "refusing a broken signature");
    }
    signatures[3][7] ^= 1;
    double ratios[ROUNDS], ours[ROUNDS], theirs[ROUNDS];
    size_t passes = 40 * 2048 / (size_t)bits;
    for (size_t round = 0; round < ROUNDS; round++) {
        double begun = seconds();
        for (size_t pass = 0; pass < passes / 4; pass++)
            for (size_t i = 0; i < PASS; i++) {
                uint8_t held = pair_verify(&pair, scheme, digests[i], signatures[i]);
                need(held == cjose_kernel_valid, "EVP_PKEY_verify");
            }
        theirs[round] = (seconds() - begun) / (double)(passes / 4 * PASS);
        begun = seconds();
        for (size_t pass = 0; pass < passes; pass++) {
            cjose_kernel_rsa_verify(scheme, keys, digest_at, signature_at, PASS, results);
            need(results[pass % PASS] == cjose_kernel_valid, "cjose_kernel_rsa_verify");
        }
        ours[round] = (seconds() - begun) / (double)(passes * PASS);
        ratios[round] = theirs[round] / ours[round];
    }
    printf(
        "  %s %d bits: kernel %.2f us, EVP_PKEY_verify with a kept context %.2f us, ratio %.2f\n", name, bits,
        1e6 * median(ours, ROUNDS), 1e6 * median(theirs, ROUNDS), median(ratios, ROUNDS));
    pair_end(&pair);
}

void rsa_bench(dice *dice) {
    static const char *const names[] = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"};
    if (!rsa_is_covered()) {
        puts("  not covered");
        return;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int scheme = 0; scheme < 6; scheme++)
            bench(dice, sizes[i], (cjose_kernel_rsa_scheme)scheme, names[scheme]);
}
#endif
