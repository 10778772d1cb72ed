#if defined(CJOSE_ACCELERATED)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rsa.h"

// Signing takes twenty times as long as verifying: a set of signatures is made, and each case takes one, unchanged or changed in
// one bit of the signature or of the digest, or for another key.
#define EACH 8
#define KERNEL_WIDTH_MAX 24

void signatures_compare(
    dice *dice, cjose_kernel_rsa_scheme scheme, const pair *const *pairs, const signature *lanes, size_t count) {
    const cjose_kernel_rsa_key *keys[KERNEL_WIDTH_MAX];
    const uint8_t *digests[KERNEL_WIDTH_MAX], *signatures[KERNEL_WIDTH_MAX];
    uint8_t results[KERNEL_WIDTH_MAX];
    for (size_t i = 0; i < count; i++) {
        keys[i] = pairs[i]->key;
        digests[i] = lanes[i].digest;
        signatures[i] = lanes[i].bytes;
    }
    cjose_kernel_rsa_verify(scheme, keys, digests, signatures, count, results);
    for (size_t i = 0; i < count; i++) {
        uint8_t expected = pair_verify(pairs[i], scheme, lanes[i].digest, lanes[i].bytes);
        if (spoilt(dice, results[i]) == expected) continue;
        show("signature", lanes[i].bytes, (size_t)pairs[i]->bits / 8);
        show("digest", lanes[i].digest, digest_size(scheme));
        fail("scheme %d, lane %zu of %zu: %d and not %d", (int)scheme, i, count, results[i], expected);
    }
}

static void flip(dice *dice, uint8_t *bytes, size_t n) {
    size_t bit = dice_below(dice, 8 * n);
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

void rsa_check_signatures(dice *dice, const pair pairs[KEYS], size_t count) {
    static signature made[KEYS][6][EACH];
    static signature lanes[KERNEL_WIDTH_MAX];
    const pair *chosen[KERNEL_WIDTH_MAX];
    int bits = pairs[0].bits;
    size_t bytes = (size_t)bits / 8, whole = 0;
    for (size_t k = 0; k < KEYS; k++)
        for (int scheme = 0; scheme < 6; scheme++)
            for (size_t i = 0; i < EACH; i++) {
                signature *one = &made[k][scheme][i];
                dice_fill(dice, one->digest, sizeof one->digest);
                pair_sign(&pairs[k], (cjose_kernel_rsa_scheme)scheme, one->digest, one->bytes);
            }
    for (size_t done = 0; done < count;) {
        size_t wanted = 1 + dice_below(dice, KERNEL_WIDTH_MAX), scheme = dice_below(dice, 6);
        // The third key, whose exponent makes a pass use the general exponentiation, is rare.
        size_t keys = dice_below(dice, 8) == 0 ? KEYS : 1 + dice_below(dice, KEYS - 1);
        if (wanted > count - done) wanted = count - done;
        for (size_t i = 0; i < wanted; i++) {
            size_t key = dice_below(dice, keys);
            chosen[i] = &pairs[key];
            lanes[i] = made[key][scheme][dice_below(dice, EACH)];
            switch (dice_below(dice, 6)) {
            case 0: flip(dice, lanes[i].bytes, bytes); break;
            case 1: flip(dice, lanes[i].digest, digest_size((cjose_kernel_rsa_scheme)scheme)); break;
            case 2: chosen[i] = &pairs[dice_below(dice, keys)]; break;
            case 3: lanes[i] = made[key][dice_below(dice, 6)][dice_below(dice, EACH)]; break;
            default: whole++;
            }
        }
        signatures_compare(dice, (cjose_kernel_rsa_scheme)scheme, chosen, lanes, wanted);
        done += wanted;
    }
    printf("  %d bits: %zu signatures, %zu of them whole\n", bits, count, whole);
}
#endif
