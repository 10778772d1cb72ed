#include "hooks.h"

#include <openssl/core_names.h>
#include <openssl/param_build.h>

// This checker is built twice: the second time with the places in a pass where a fault can be injected.

#if defined(CJOSE_PRIVATE_FAULTS)
static private_stage planned = private_stage_count;
static size_t lane, word, bit;
/// The number of faults that were injected so far.
static size_t injected;

void private_fault(private_stage stage, void *numbers, size_t size) {
    if (stage == private_stage_base && watched.is_on) {
        memcpy(watched.base, numbers, size);
        watched.bases++;
    }
    if (stage != planned) return;
    planned = private_stage_count;
    injected++;
    if (stage == private_stage_output) {
        ((uint8_t *)numbers)[lane % PRIVATE_TOKENS * PRIVATE_BYTES + word % 256] ^= (uint8_t)(1u << bit % 8);
        return;
    }
    uint64_t *words = numbers;
    // The highest limb has fewer bits than others, and a number beyond its limit is no fault of a lane alone; a comparison has no limit.
    size_t limbs = size / sizeof(lanes);
    if (stage < private_stage_verified) limbs--;
    words[word % limbs * PRIVATE_LANES + lane] ^= (uint64_t)1 << bit % 52;
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

/// Runs `count` tokens of one key or of two, and compares them with the texts that they encrypt. Exactly `faults` results must have been
/// found wrong, or at most as many, if the lane of a fault may be unused.
static void compare(dice *dice, const subject *subjects, size_t count, size_t faults, bool is_exact, const char *what) {
    static uint8_t texts[PRIVATE_TOKENS][SIZE_MAX_BYTES], inputs[PRIVATE_TOKENS][SIZE_MAX_BYTES];
    static uint8_t outputs[PRIVATE_TOKENS][SIZE_MAX_BYTES];
    const subject *of[PRIVATE_TOKENS];
    cjose_private_rsa_key *keys[PRIVATE_TOKENS];
    const uint8_t *ins[PRIVATE_TOKENS];
    uint8_t *outs[PRIVATE_TOKENS], results[PRIVATE_TOKENS];
    size_t size = (size_t)subjects[0].bits / 8;
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
    if (found > faults || (is_exact && found != faults)) fail("%s: %d results were found wrong, of %d", what, (int)found, (int)faults);
}

#if defined(CJOSE_PRIVATE_FAULTS)
/// Changes one bit of each limb that the check compares, in each lane: every one must be found.
static void check_comparisons(dice *dice, const subject *subjects) {
    const subject both[2] = {subjects[0], subjects[0]};
    size_t limbs = (size_t)subjects[0].bits / 1024 * COLUMNS, done = 0;
    for (private_stage stage = private_stage_verified; stage <= private_stage_product; stage++)
        for (size_t i = 0; i < (stage == private_stage_product ? 2 : 1) * limbs + PRIVATE_LANES; i++, done++) {
            planned = stage, lane = i % PRIVATE_LANES, word = i, bit = i * 7 % 52;
            compare(dice, both, PRIVATE_TOKENS, 1, true, stage == private_stage_product ? "the product of the primes" : "a power");
        }
    printf("  %d bits: %zu changed bits of what the check compares were found\n", subjects[0].bits, done);
}

/// Checks that nothing leaves where libcrypto has no result in place of a wrong one.
static void check_release(const subject *subject) {
    static uint8_t input[SIZE_MAX_BYTES], outputs[PRIVATE_TOKENS][SIZE_MAX_BYTES];
    const uint8_t *ins[PRIVATE_TOKENS];
    uint8_t *outs[PRIVATE_TOKENS], results[PRIVATE_TOKENS];
    cjose_private_rsa_key *keys[PRIVATE_TOKENS];
    input[1] = 7;
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) keys[i] = subject->key, ins[i] = input, outs[i] = outputs[i];
    for (private_stage stage = private_stage_base; stage <= private_stage_product; stage++) {
        memset(outputs, 0xA5, sizeof outputs);
        planned = stage, lane = (size_t)stage % PRIVATE_TOKENS, word = 1, bit = 1;
        watch_begin((size_t)subject->bits / 1024, 1);
        watched.is_libcrypto_missing = true;
        cjose_private_rsa_power(keys, ins, PRIVATE_TOKENS, outs, results);
        watch_end();
        for (size_t i = 0; i < PRIVATE_TOKENS; i++)
            if (results[i] != (i == lane ? cjose_private_failed : cjose_private_valid)) fail("a wrong result has another verdict");
        for (size_t j = 0; j < sizeof outputs[0]; j++)
            if (outputs[lane][j] != 0xA5) fail("a wrong result was written before it was checked");
    }
    printf("  %d bits: no wrong result is written, also where libcrypto has none\n", subject->bits);
}
#endif

/// Creates a key of the kernels from two primes of other keys, which may be those of one.
static subject with_primes(const BIGNUM *p, const BIGNUM *q, const BIGNUM *e) {
    static const char *const names[] = {
        OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1,
        OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2,
        OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    BN_CTX *ctx = BN_CTX_new();
    BIGNUM *less[2] = {BN_dup(p), BN_dup(q)}, *product = BN_new(), *n = BN_new(), *d = BN_new(), *d_of[2] = {BN_new(), BN_new()};
    BIGNUM *inverse = BN_new();
    need(BN_mul(n, p, q, ctx) && BN_sub_word(less[0], 1) && BN_sub_word(less[1], 1), "BN");
    need(BN_mul(product, less[0], less[1], ctx) && BN_mod_inverse(d, e, product, ctx) != NULL, "BN_mod_inverse");
    need(BN_mod(d_of[0], d, less[0], ctx) && BN_mod(d_of[1], d, less[1], ctx), "BN_mod");
    need(BN_mod_inverse(inverse, q, p, ctx) != NULL, "BN_mod_inverse");
    const BIGNUM *numbers[] = {n, e, d, p, q, d_of[0], d_of[1], inverse};
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    for (int i = 0; i < 8; i++) need(OSSL_PARAM_BLD_push_BN(builder, names[i], numbers[i]) == 1, names[i]);
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *made = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    EVP_PKEY *pkey = NULL;
    need(EVP_PKEY_fromdata_init(made) == 1 && EVP_PKEY_fromdata(made, &pkey, EVP_PKEY_KEYPAIR, params) == 1, "fromdata");
    EVP_PKEY_CTX_free(made);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    BN_free(less[0]), BN_free(less[1]), BN_free(product), BN_free(n), BN_free(d), BN_free(d_of[0]), BN_free(d_of[1]);
    BN_free(inverse);
    BN_CTX_free(ctx);
    subject subject = subject_adopt(pkey);
    need(subject.key != NULL, "a key of other primes");
    return subject;
}

/// Gives a key another prime, with all constants that belong to it. Its results are right modulo both of its primes, and so under the
/// public exponent, and wrong modulo the one that it lacks, so that a factor of the modulus can be computed from one: only the comparison
/// of the product of the primes with the modulus finds it.
static void check_another_prime(const subject *subjects) {
    // With the smaller p the result for 1, which is 1 + p q, is below the modulus, and not reduced.
    size_t larger = BN_cmp(subjects[0].p, subjects[1].p) > 0 ? 0 : 1;
    const subject *of = &subjects[larger], *from = &subjects[1 - larger];
    for (int prime = 0; prime < 2; prime++) {
        subject other = prime == 0 ? with_primes(from->p, of->q, of->e) : with_primes(of->q, from->p, of->e);
        private_prime right[2] = {of->key->primes[0], of->key->primes[1]};
        memcpy(of->key->primes, other.key->primes, sizeof right);
        uint8_t input[SIZE_MAX_BYTES] = {0}, output[SIZE_MAX_BYTES], result;
        size_t size = (size_t)of->bits / 8;
        input[size - 1] = 1;
        const uint8_t *in = input;
        uint8_t *out = output;
        uint64_t before = cjose_private_fault_count();
        cjose_private_rsa_power(&of->key, &in, 1, &out, &result);
        memcpy(of->key->primes, right, sizeof right);
        if (result != cjose_private_valid || memcmp(output, input, size) != 0) fail("another prime made a wrong result, which left");
        if (cjose_private_fault_count() != before + 1) fail("another prime was not found");
        cjose_private_rsa_power(&of->key, &in, 1, &out, &result);
        if (cjose_private_fault_count() != before + 1) fail("a right prime was taken for another");
        subject_end(&other);
    }
    printf("  %d bits: a prime of another key, with its constants, was found by the product of the primes\n", of->bits);
}

void check_faults(dice *dice, const subject *subjects, size_t count) {
    check_another_prime(subjects);
#if defined(CJOSE_PRIVATE_FAULTS)
    if (subjects[0].bits <= SWEPT_BITS) check_comparisons(dice, subjects);
    check_release(&subjects[0]);
    static const char *const names[] = {"base", "power", "unblinded", "combined", "output", "verified", "product", "pair"};
    size_t cases[private_stage_count] = {0}, done[private_stage_count] = {0}, seen[private_stage_count] = {0};
    for (size_t i = 0; i < count; i++) {
        private_stage stage = i % 30 == 29 ? private_stage_pair : (private_stage)(i % private_stage_pair);
        lane = dice_below(dice, PRIVATE_LANES), word = dice_below(dice, 79), bit = dice_below(dice, 52);
        planned = stage;
        uint64_t before = cjose_private_fault_count();
        size_t injected_before = injected;
        // A fault in one lane spoils one token, and none where the lane is unused. A pass with an old pair has no stage of that name.
        int most = stage == private_stage_pair ? 3 * PRIVATE_BLINDING_USES : 1;
        for (int j = 0; j < most && planned == stage; j++)
            compare(dice, subjects, 1 + dice_below(dice, PRIVATE_TOKENS), 1, false, names[stage]);
        cases[stage]++, done[stage] += injected - injected_before;
        seen[stage] += (size_t)(cjose_private_fault_count() - before);
        planned = private_stage_count;
    }
    size_t found = 0;
    for (int stage = 0; stage < private_stage_count; stage++) {
        if (done[stage] != cases[stage])
            fail("stage %s: %d of the faults were injected", names[stage], (int)done[stage]);
        // About half of the faults are in a lane that is used.
        if (done[stage] >= 30 && seen[stage] * 8 < done[stage])
            fail("stage %s: only %d of the faults were found", names[stage], (int)seen[stage]);
        found += seen[stage];
    }
    if (found * 8 < count) fail("only %d of %d faults were found", (int)found, (int)count);
    printf("  %d bits: %zu faults in one lane, %zu of them in used ones; none left\n", subjects[0].bits, count, found);
#endif
    // Bits of the constants of a key, which stay wrong: each spoils all results of a call.
    size_t limbs = (size_t)subjects[0].bits / 1024 * COLUMNS, wrong = 0;
    const subject pair[2] = {subjects[0], subjects[0]};
    for (size_t i = 0; i < (count < 1000 ? 28 : 210); i++, wrong++) {
        private_prime *prime = &subjects[0].key->primes[dice_below(dice, 2)];
        uint64_t *numbers[] = {prime->p, prime->d, prime->one, prime->square, prime->cube, prime->inverse_of_other,
                               subjects[0].key->n};
        bool is_modulus = i % 7 == 6;
        uint64_t *number = &numbers[i % 7][dice_below(dice, is_modulus ? 2 * limbs : limbs - 1)];
        uint64_t flip = (uint64_t)1 << dice_below(dice, 52);
        size_t tokens = 1 + dice_below(dice, PRIVATE_TOKENS);
        *number ^= flip;
        compare(dice, pair, tokens, tokens, true, "a constant with a wrong bit");
        *number ^= flip;
        // The pairs made with the wrong constant are discarded with the first failed check.
        compare(dice, pair, PRIVATE_TOKENS, 0, true, "after a wrong bit");
    }
    printf("  %d bits: %zu wrong bits in constants of a key; each was found in all results, and none left\n", subjects[0].bits, wrong);
}
