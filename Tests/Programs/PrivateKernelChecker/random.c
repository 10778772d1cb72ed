#include "checker.h"

/// Checks that x^d is m for x = m^e, which costs little more than the operation: the public kernels compute x, and are checked
/// with libcrypto themselves.
void check_random(dice *dice, const subject *subjects, size_t count) {
    static uint8_t texts[CASES_MAX][SIZE_MAX_BYTES], powers[CASES_MAX * SIZE_MAX_BYTES], outputs[CASES_MAX][SIZE_MAX_BYTES];
    size_t size = (size_t)subjects[0].bits / 8;
    for (size_t done = 0; done < count;) {
        const subject *of[CASES_MAX];
        cjose_private_rsa_key *keys[CASES_MAX];
        const cjose_kernel_rsa_key *public_keys[CASES_MAX];
        const uint8_t *ins[CASES_MAX];
        uint8_t *outs[CASES_MAX], results[CASES_MAX];
        size_t wanted = 1 + dice_below(dice, CASES_MAX), one = dice_below(dice, SUBJECTS);
        bool is_mixed = dice_below(dice, 2) != 0;
        if (wanted > 4 && dice_below(dice, 4) != 0) wanted = wanted / 4 * 4;
        for (size_t i = 0; i < wanted; i++) {
            of[i] = &subjects[is_mixed ? dice_below(dice, SUBJECTS) : one];
            keys[i] = of[i]->key, public_keys[i] = of[i]->public_key;
            dice_shape(dice, texts[i], size);
            texts[i][0] &= 0x7F;
            ins[i] = texts[i], outs[i] = outputs[i];
        }
        cjose_kernel_rsa_power(public_keys, ins, wanted, powers, results);
        for (size_t i = 0; i < wanted; i++) {
            if (results[i] != cjose_kernel_valid) subject_fail(of[i], texts[i], "the public kernels have no result");
            ins[i] = powers + i * size;
        }
        cjose_private_rsa_power(keys, ins, wanted, outs, results);
        for (size_t i = 0; i < wanted; i++)
            if (results[i] != cjose_private_valid || memcmp(outputs[i], texts[i], size) != 0)
                subject_fail(of[i], ins[i], "another number");
        done += wanted;
    }
    printf("  %d bits: %zu random numbers\n", subjects[0].bits, count);
}
