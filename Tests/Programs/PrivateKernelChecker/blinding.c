#include "hooks.h"

// Checks by what a power reads that each operation is blinded by numbers of its own: the exponents d + r(p - 1) and the bases
// m t. A wrong blinding gives the right result, so that no comparison of results finds it.

#if defined(CJOSE_PRIVATE_FAULTS)
enum { CALLS = 72 };

/// A key's numbers modulo its primes, and the factors that blinded its bases so far.
typedef struct observed {
    BN_CTX *ctx;
    BIGNUM *p[2], *less[2], *d[2], *r, *input;
    BIGNUM *factors[2][CALLS * PRIVATE_TOKENS];
    size_t factor_count[2];
    /// The bits that were set in a number that blinds an exponent, and those that were not.
    uint64_t set, clear;
    size_t renewed, last_count;
} observed;

static BIGNUM *number_of(const uint64_t (*words)[PRIVATE_LANES], size_t limbs, size_t lane) {
    BIGNUM *number = BN_new();
    need(number != NULL, "BN_new");
    for (size_t i = limbs; i-- > 0;) need(BN_lshift(number, number, 52) && BN_add_word(number, words[i][lane]), "BN");
    return number;
}

/// Finds a word among the random words of this call, and takes it.
static bool take_word(uint64_t word, bool *is_taken) {
    for (size_t i = 0; i < watched.random_size / 8; i++) {
        if (is_taken[i] || memcmp(watched.random + 8 * i, &word, 8) != 0) continue;
        return is_taken[i] = true;
    }
    return false;
}

/// The last power has the exponents of the key; one before it makes the factors that remove the blinding of bases.
static void check_exponents(observed *of) {
    bool is_taken[sizeof watched.random / 8] = {false};
    if (watched.ladders < 1 || watched.ladders > 2 || watched.next_bit != 0) fail("%d powers in a pass", (int)watched.ladders);
    for (size_t ladder = 0; ladder < watched.ladders; ladder++)
        for (size_t lane = 0; lane < PRIVATE_LANES; lane++) {
            size_t prime = lane / PRIVATE_TOKENS;
            BIGNUM *exponent = number_of(watched.exponents[ladder], watched.limbs + 3, lane), *r = BN_new(), *rest = BN_new();
            need(BN_sub(exponent, exponent, of->d[prime]), "BN_sub");
            if (ladder + 1 < watched.ladders)
                need(BN_add(exponent, exponent, of->d[prime]) && BN_sub(exponent, exponent, of->less[prime])
                    && BN_add(exponent, exponent, of->d[prime]), "BN");
            need(BN_div(r, rest, exponent, of->less[prime], of->ctx), "BN_div");
            if (BN_is_negative(exponent) || !BN_is_zero(rest)) fail("an exponent is not d + r(p - 1)");
            if (BN_is_zero(r)) fail("an exponent is not blinded");
            uint64_t word = BN_num_bits(r) > 64 ? 0 : BN_get_word(r);
            if (!take_word(word, is_taken)) fail("an exponent is blinded by a number that is not random, or was used before");
            of->set |= word, of->clear |= ~word;
            BN_clear_free(exponent), BN_free(r), BN_free(rest);
        }
}

/// Returns whether a factor is one of the random numbers of this call.
static bool is_random(const observed *of, size_t lane, const BIGNUM *factor) {
    bool is_found = false;
    size_t size = watched.limbs * sizeof(lanes);
    for (size_t at = 0; at + size <= watched.random_size && !is_found; at += sizeof(lanes)) {
        static uint64_t words[PRIVATE_LIMBS][PRIVATE_LANES];
        memcpy(words, watched.random + at, size);
        for (size_t i = 0; i < watched.limbs; i++) words[i][lane] &= (uint64_t)LIMB;
        BIGNUM *number = number_of((const uint64_t(*)[PRIVATE_LANES])words, watched.limbs, lane);
        need(BN_mod(number, number, of->p[lane / PRIVATE_TOKENS], of->ctx), "BN_mod");
        is_found = BN_cmp(number, factor) == 0;
        BN_free(number);
    }
    return is_found;
}

/// A base in Montgomery form is m t R. The unused lanes have random numbers in place of m.
static void check_bases(observed *of, size_t count) {
    if (watched.bases != 1) fail("%d passes in a call", (int)watched.bases);
    bool is_renewed = watched.ladders == 2;
    for (size_t lane = 0; lane < PRIVATE_LANES; lane++) {
        size_t prime = lane / PRIVATE_TOKENS, token = lane % PRIVATE_TOKENS;
        BIGNUM *factor = number_of((const uint64_t(*)[PRIVATE_LANES])watched.base, watched.limbs, lane), *known = BN_new();
        need(BN_mod(factor, factor, of->p[prime], of->ctx), "BN_mod");
        if (BN_is_zero(factor)) fail("an unused lane has no random input");
        need(BN_mod_mul(known, of->input, of->r, of->p[prime], of->ctx), "BN_mod_mul");
        need(BN_mod_inverse(known, known, of->p[prime], of->ctx) != NULL, "BN_mod_inverse");
        need(BN_mod_mul(factor, factor, known, of->p[prime], of->ctx), "BN_mod_mul");
        if (BN_is_one(factor)) fail("a base is not blinded");
        for (size_t i = 0; i < of->factor_count[prime]; i++)
            if (BN_cmp(factor, of->factors[prime][i]) == 0) fail("two bases are blinded by one number");
        if (token < count && is_renewed && !is_random(of, lane, factor)) fail("a base is blinded by a number that is not random");
        // The factors of one call are behind those of the call before.
        if (token < count && token < of->last_count && !is_renewed) {
            const BIGNUM *last = of->factors[prime][of->factor_count[prime] - PRIVATE_TOKENS];
            need(BN_mod_sqr(known, last, of->p[prime], of->ctx), "BN_mod_sqr");
            if (BN_cmp(known, factor) != 0) fail("a base is blinded by a number that is neither random nor the square of the last one");
        }
        of->factors[prime][of->factor_count[prime]++] = factor;
        BN_free(known);
    }
    of->renewed += is_renewed;
    of->last_count = count;
}

/// Returns the input of all operations, which is below the modulus.
static const uint8_t *input_of(const subject *subject) {
    static uint8_t input[SIZE_MAX_BYTES];
    for (size_t i = 1; i < (size_t)subject->bits / 8; i++) input[i] = (uint8_t)(i * 37);
    return input;
}

/// Calls the kernels with one input in `count` tokens.
static void call(const subject *subject, size_t count) {
    static uint8_t text[SIZE_MAX_BYTES], outputs[PRIVATE_TOKENS][SIZE_MAX_BYTES];
    const uint8_t *input = input_of(subject);
    const uint8_t *ins[PRIVATE_TOKENS];
    uint8_t *outs[PRIVATE_TOKENS], results[PRIVATE_TOKENS];
    cjose_private_rsa_key *keys[PRIVATE_TOKENS];
    size_t size = (size_t)subject->bits / 8;
    need(subject_power(subject, input, text), "libcrypto");
    for (size_t i = 0; i < count; i++) keys[i] = subject->key, ins[i] = input, outs[i] = outputs[i];
    memset(outputs, 0, sizeof outputs);
    cjose_private_rsa_power(keys, ins, count, outs, results);
    for (size_t i = 0; i < count; i++)
        if (results[i] != cjose_private_valid || memcmp(outputs[i], text, size) != 0) subject_fail(subject, input, "another number");
}

/// Without random numbers no pass runs, and libcrypto computes.
static void check_missing_random(const subject *subject, uint64_t seed) {
    size_t missing = 0;
    for (;; missing++) {
        watch_begin((size_t)subject->bits / 1024, seed);
        watched.missing_random = missing;
        call(subject, 1);
        watch_end();
        if (watched.random_requests <= missing) break;
        if (watched.bases != 0) fail("a pass ran without random numbers");
    }
    if (missing < 4) fail("a pass needs %d times random numbers only", (int)missing);
}

void check_blinding(dice *dice, const subject *subject) {
    static observed of;
    memset(&of, 0, sizeof of);
    of.ctx = BN_CTX_new(), of.r = BN_new(), of.input = BN_new();
    of.p[0] = subject->p, of.p[1] = subject->q;
    size_t blocks = (size_t)subject->bits / 1024;
    need(BN_set_bit(of.r, (int)(blocks * COLUMNS * 52)), "BN_set_bit");
    need(BN_bin2bn(input_of(subject), subject->bits / 8, of.input) != NULL, "BN_bin2bn");
    need(EVP_PKEY_get_bn_param(subject->pkey, "rsa-exponent1", &of.d[0]) == 1, "d");
    need(EVP_PKEY_get_bn_param(subject->pkey, "rsa-exponent2", &of.d[1]) == 1, "d");
    for (int prime = 0; prime < 2; prime++) {
        of.less[prime] = BN_dup(of.p[prime]);
        need(of.less[prime] != NULL && BN_sub_word(of.less[prime], 1), "BN");
    }
    for (size_t i = 0; i < CALLS; i++) {
        watch_begin(blocks, dice_next(dice));
        call(subject, 1 + i % PRIVATE_TOKENS);
        watch_end();
        check_exponents(&of);
        check_bases(&of, 1 + i % PRIVATE_TOKENS);
    }
    if ((of.set & of.clear) != UINT64_MAX) fail("a bit of the numbers that blind exponents never changes");
    if (of.renewed < CALLS / PRIVATE_BLINDING_USES) fail("factors were renewed %d times only", (int)of.renewed);
    check_missing_random(subject, dice_next(dice));
    for (int prime = 0; prime < 2; prime++) {
        for (size_t i = 0; i < of.factor_count[prime]; i++) BN_free(of.factors[prime][i]);
        BN_clear_free(of.d[prime]), BN_clear_free(of.less[prime]);
    }
    BN_free(of.r), BN_free(of.input);
    BN_CTX_free(of.ctx);
    printf("  %d bits: %d passes, each exponent and each base blinded by a number of its own\n", subject->bits, CALLS);
}
#else
void check_blinding(dice *dice, const subject *subject) { (void)dice, (void)subject; }
#endif
