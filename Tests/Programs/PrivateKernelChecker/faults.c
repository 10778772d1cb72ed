#include "checker.h"

// This checker is built twice: the second time with the places in a pass where a fault can be injected.

#if defined(CJOSE_PRIVATE_FAULTS)
static private_stage planned = private_stage_count;
static size_t lane, word, bit;
/// The number of faults that were injected so far.
static size_t injected;

void private_fault(private_stage stage, void *numbers, size_t size) {
    if (stage != planned) return;
    planned = private_stage_count;
    injected++;
    if (stage == private_stage_output) {
        ((uint8_t *)numbers)[lane % PRIVATE_TOKENS * PRIVATE_BYTES + word % 256] ^= (uint8_t)(1u << bit % 8);
        return;
    }
    uint64_t *words = numbers;
    // The highest limb has fewer bits than others, and a number beyond its limit is no fault of a lane alone.
    size_t limbs = size / sizeof(lanes);
    words[word % (limbs - 1) * PRIVATE_LANES + lane] ^= (uint64_t)1 << bit % 52;
}
#endif

bool plan_fault(dice *dice) {
#if defined(CJOSE_PRIVATE_FAULTS)
    planned = (private_stage)dice_below(dice, private_stage_pair);
    lane = dice_below(dice, PRIVATE_LANES), word = dice_below(dice, 79), bit = dice_below(dice, 52);
    return true;
#else
    (void)dice;
    return false;
#endif
}

/// Runs four tokens of one key or of several, and compares them with the texts that they encrypt.
static void compare(dice *dice, const subject *subjects, size_t faults, const char *what) {
    static uint8_t texts[PRIVATE_TOKENS][SIZE_MAX_BYTES], inputs[PRIVATE_TOKENS][SIZE_MAX_BYTES];
    static uint8_t outputs[PRIVATE_TOKENS][SIZE_MAX_BYTES];
    const subject *of[PRIVATE_TOKENS];
    cjose_private_rsa_key *keys[PRIVATE_TOKENS];
    const uint8_t *ins[PRIVATE_TOKENS];
    uint8_t *outs[PRIVATE_TOKENS], results[PRIVATE_TOKENS];
    size_t size = (size_t)subjects[0].bits / 8, count = 1 + dice_below(dice, PRIVATE_TOKENS);
    for (size_t i = 0; i < count; i++) {
        of[i] = &subjects[dice_below(dice, 2)];
        dice_fill(dice, texts[i], size);
        texts[i][0] &= 0x7F;
        subject_encrypt(of[i], texts[i], inputs[i]);
        keys[i] = of[i]->key, ins[i] = inputs[i], outs[i] = outputs[i];
    }
    uint64_t before = cjose_private_fault_count();
    cjose_private_rsa_power(keys, ins, count, outs, results);
    uint64_t found = cjose_private_fault_count() - before;
    for (size_t i = 0; i < count; i++)
        if (results[i] != cjose_private_valid || memcmp(outputs[i], texts[i], size) != 0) subject_fail(of[i], inputs[i], what);
    if (found > faults) fail("%s: %d results were wrong", what, (int)found);
}

void check_faults(dice *dice, const subject *subjects, size_t count) {
#if defined(CJOSE_PRIVATE_FAULTS)
    static const char *const names[] = {"base", "power", "unblinded", "combined", "output", "pair"};
    size_t cases[private_stage_count] = {0}, done[private_stage_count] = {0}, seen[private_stage_count] = {0};
    for (size_t i = 0; i < count; i++) {
        private_stage stage = i % 30 == 29 ? private_stage_pair : (private_stage)(i % private_stage_pair);
        lane = dice_below(dice, PRIVATE_LANES), word = dice_below(dice, 79), bit = dice_below(dice, 52);
        planned = stage;
        uint64_t before = cjose_private_fault_count();
        size_t injected_before = injected;
        // A fault in one lane spoils one token, and none where the lane is unused. A pass with an old pair has no stage of that name.
        int most = stage == private_stage_pair ? 3 * PRIVATE_BLINDING_USES : 1;
        for (int j = 0; j < most && planned == stage; j++) compare(dice, subjects, 1, names[stage]);
        cases[stage]++, done[stage] += injected - injected_before;
        seen[stage] += (size_t)(cjose_private_fault_count() - before);
        planned = private_stage_count;
    }
    size_t found = 0;
    for (int stage = 0; stage < private_stage_count; stage++) {
        if (done[stage] != cases[stage])
            fail("stage %s: %d of the faults were injected", names[stage], (int)done[stage]);
        // About half of the faults are in a lane that is used.
        if (done[stage] >= 30 && seen[stage] * 8 < done[stage]) fail("stage %s: only %d of the faults were found", names[stage], (int)seen[stage]);
        found += seen[stage];
    }
    if (found * 8 < count) fail("only %d of %d faults were found", (int)found, (int)count);
    printf("  %d bits: %zu faults in one lane, %zu of them in used ones; none left\n", subjects[0].bits, count, found);
#endif
    // Bits of the constants of a key, which stay wrong.
    size_t limbs = (size_t)subjects[0].bits / 1024 * COLUMNS, wrong = 0;
    uint64_t since = cjose_private_fault_count();
    for (size_t i = 0; i < (count < 1000 ? 21 : 210); i++, wrong++) {
        private_prime *prime = &subjects[0].key->primes[dice_below(dice, 2)];
        uint64_t *numbers[] = {prime->p, prime->d, prime->one, prime->square, prime->cube, prime->inverse_of_other,
                               subjects[0].key->n};
        uint64_t *number = &numbers[i % 7][dice_below(dice, limbs - 1)], flip = (uint64_t)1 << dice_below(dice, 52);
        subject pair[2] = {subjects[0], subjects[0]};
        *number ^= flip;
        compare(dice, pair, PRIVATE_TOKENS, "a constant with a wrong bit");
        *number ^= flip;
        // The pairs made with the wrong constant are discarded with the first failed check.
        for (int j = 0; j < 2; j++) compare(dice, pair, PRIVATE_TOKENS, "after a wrong bit");
    }
    uint64_t spoiled = cjose_private_fault_count() - since;
    if (spoiled < wrong) fail("%d results of %d wrong constants were found", (int)spoiled, (int)wrong);
    printf("  %d bits: %zu wrong bits in constants of a key, %d results with them; none left\n", subjects[0].bits, wrong, (int)spoiled);
}
