#if defined(CJOSE_ACCELERATED)
#if defined(__x86_64__) || defined(CJOSE_LANES_OF_WORDS)
#include <string.h>

#include "../../CJOSEKernels/src/limbs.h"
#include "private_internal.h"

static size_t limbs_of(const private_work *work) { return work->modulus.blocks * COLUMNS; }

/// Returns the bits of a window. A table of 32 entries of 40 limbs would exceed the cache of the first level.
static unsigned window_of(size_t blocks) { return blocks == 2 ? 5 : 4; }

/// Copies a number into a lane.
static void put(lanes *to, size_t lane, const uint64_t *number, size_t limbs) {
    uint64_t(*words)[PRIVATE_LANES] = (uint64_t(*)[PRIVATE_LANES])to;
    for (size_t i = 0; i < limbs; i++) words[i][lane] = number[i];
}

static void get(const lanes *from, size_t lane, uint64_t *number, size_t limbs) {
    const uint64_t(*words)[PRIVATE_LANES] = (const uint64_t(*)[PRIVATE_LANES])from;
    for (size_t i = 0; i < limbs; i++) number[i] = words[i][lane];
}

/// Loads the constants of a key's primes.
static void load_prime(private_work *work, size_t lane, const private_prime *prime) {
    size_t limbs = limbs_of(work);
    put(work->p, lane, prime->p, limbs);
    put(work->d, lane, prime->d, limbs);
    put(work->one, lane, prime->one, limbs);
    put(work->square, lane, prime->square, limbs);
    put(work->cube, lane, prime->cube, limbs);
    put(work->inverse_of_other, lane, prime->inverse_of_other, limbs);
    put(&work->modulus.inverse, lane, &prime->inverse, 1);
}

static void load_key(private_work *work, size_t token, const cjose_private_rsa_key *key) {
    for (size_t prime = 0; prime < 2; prime++) {
        load_prime(work, token + prime * PRIVATE_TOKENS, &key->primes[prime]);
        put(work->n, token + prime * PRIVATE_TOKENS, key->n, 2 * limbs_of(work));
    }
}

/// Reduces bytes as long as the modulus, of each token modulo both primes, into Montgomery form: x = low + high R.
static void reduce_bytes(private_work *work, const uint8_t *const bytes[PRIVATE_TOKENS], size_t n, lanes *out) {
    size_t limbs = limbs_of(work);
    for (size_t lane = 0; lane < PRIVATE_LANES; lane++) {
        limbs_read(bytes[lane % PRIVATE_TOKENS], n, work->number, 2 * limbs);
        put(work->low, lane, work->number, limbs);
        put(work->high, lane, work->number + limbs, limbs);
    }
    private_multiply(work->low, work->square, &work->modulus, work->scratch);
    private_multiply(work->high, work->cube, &work->modulus, out);
    private_add(out, work->scratch, limbs, out);
}

/// Computes x^exponent, which is below 2^bits, in Montgomery form: `out` is not `x`.
static void power(private_work *work, const lanes *x, size_t bits, lanes *out) {
    size_t limbs = limbs_of(work), blocks = work->modulus.blocks;
    unsigned window = window_of(blocks);
    size_t entries = (size_t)1 << window, windows = (bits + window - 1) / window;
    memcpy(work->table, work->one, limbs * sizeof(lanes));
    memcpy(work->table + limbs, x, limbs * sizeof(lanes));
    for (size_t i = 2; i < entries; i++) {
        if (i % 2 == 0) private_square(work->table + i / 2 * limbs, &work->modulus, work->table + i * limbs);
        else private_multiply(work->table + (i - 1) * limbs, x, &work->modulus, work->table + i * limbs);
    }
    private_digits(work->exponent, (windows - 1) * window, window, &work->digits);
    private_scan(work->table, entries, blocks, &work->digits, out);
    for (size_t i = windows - 1; i-- > 0;) {
        // The result of an odd number of squarings is in the scratch memory, and multiplied from there.
        for (unsigned bit = 0; bit < window; bit++)
            private_square(bit % 2 == 0 ? out : work->scratch, &work->modulus, bit % 2 == 0 ? work->scratch : out);
        private_digits(work->exponent, i * window, window, &work->digits);
        private_scan(work->table, entries, blocks, &work->digits, work->low);
        if (window % 2 != 0) {
            private_multiply(work->scratch, work->low, &work->modulus, out);
        } else {
            private_multiply(out, work->low, &work->modulus, work->scratch);
            memcpy(out, work->scratch, limbs * sizeof(lanes));
        }
    }
}

/// Blinds the exponents `d` by fresh random multiples of p - 1, and returns their length in bits.
static size_t blind_exponent(private_work *work, const lanes *d) {
    size_t limbs = limbs_of(work);
    private_split(work->random, work->random);
    private_blind_exponent(d, work->p, work->random, limbs, work->exponent);
    return work->modulus.blocks * 512 + PRIVATE_EXPONENT_BLINDING;
}

/// Computes powers of public exponents, which may differ by lane.
static void public_power(private_work *work, const private_token *tokens, const lanes *x, lanes *out) {
    size_t limbs = limbs_of(work);
    uint64_t longest = 0, mask[PRIVATE_LANES];
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) longest |= tokens[i].key->e;
    memcpy(out, work->one, limbs * sizeof(lanes));
    for (uint64_t bit = (uint64_t)1 << (63 - __builtin_clzll(longest)); bit != 0; bit >>= 1) {
        private_square(out, &work->modulus, work->scratch);
        memcpy(out, work->scratch, limbs * sizeof(lanes));
        uint64_t any = 0;
        for (size_t lane = 0; lane < PRIVATE_LANES; lane++) {
            mask[lane] = (tokens[lane % PRIVATE_TOKENS].key->e & bit) != 0 ? UINT64_MAX : 0;
            any |= mask[lane];
        }
        if (any == 0) continue;
        memcpy(&work->mask, mask, sizeof mask);
        private_multiply(work->scratch, x, &work->modulus, work->low);
        private_replace(out, work->low, &work->mask, limbs);
    }
}

/// Leaves Montgomery form, and reduces to the number below p.
static void canonical(private_work *work, lanes *x) {
    size_t limbs = limbs_of(work);
    private_set_one(work->low, limbs);
    private_multiply(x, work->low, &work->modulus, work->scratch);
    private_reduce_once(work->scratch, work->p, limbs, x);
}

/// Makes new pairs of blinding factors for all tokens: a random t, and t^(p-1-d), which is t^-d for any t but 0.
static bool renew(private_work *work) {
    size_t limbs = limbs_of(work);
    if (!private_random(work->low, limbs * sizeof(lanes)) || !private_random(work->random, sizeof(lanes))) return false;
    private_cut(work->low, limbs);
    private_multiply(work->low, work->square, &work->modulus, work->factor);
    private_complement(work->d, work->p, limbs, work->y);
    power(work, work->factor, blind_exponent(work, work->y), work->removal);
    PRIVATE_FAULT(pair, work->removal, limbs * sizeof(lanes));
    return true;
}

/// Loads the pairs of the tokens, and makes new ones where one of them was used up or made by another process.
static bool load_pairs(private_work *work, private_token tokens[PRIVATE_TOKENS]) {
    size_t limbs = limbs_of(work);
    bool is_used_up = false;
    for (size_t token = 0; token < PRIVATE_TOKENS; token++)
        is_used_up |= tokens[token].blinding->pairs[token].uses >= PRIVATE_BLINDING_USES;
    if (is_used_up) {
        if (!renew(work)) return false;
        for (size_t token = 0; token < PRIVATE_TOKENS; token++) tokens[token].blinding->pairs[token].uses = 0;
        return true;
    }
    for (size_t lane = 0; lane < PRIVATE_LANES; lane++) {
        size_t token = lane % PRIVATE_TOKENS, prime = lane / PRIVATE_TOKENS;
        put(work->factor, lane, tokens[token].blinding->pairs[token].factor[prime], limbs);
        put(work->removal, lane, tokens[token].blinding->pairs[token].removal[prime], limbs);
    }
    return true;
}

/// Squares the pairs and stores them for the next pass.
static void store_pairs(private_work *work, private_token tokens[PRIVATE_TOKENS]) {
    size_t limbs = limbs_of(work);
    private_square(work->factor, &work->modulus, work->low);
    private_square(work->removal, &work->modulus, work->high);
    for (size_t lane = 0; lane < PRIVATE_LANES; lane++) {
        size_t token = lane % PRIVATE_TOKENS, prime = lane / PRIVATE_TOKENS;
        get(work->low, lane, tokens[token].blinding->pairs[token].factor[prime], limbs);
        get(work->high, lane, tokens[token].blinding->pairs[token].removal[prime], limbs);
        if (prime == 0) tokens[token].blinding->pairs[token].uses++;
    }
}

/// Combines the powers modulo the primes, in Montgomery form: m = x / q mod p * q + x / p mod q * p, modulo n.
static void combine(private_work *work, lanes *x) {
    size_t limbs = limbs_of(work);
    private_multiply(x, work->inverse_of_other, &work->modulus, work->scratch);
    private_reduce_once(work->scratch, work->p, limbs, x);
    private_exchange(work->p, limbs, work->low);
    private_wide_multiply(x, work->low, work->modulus.blocks, work->wide);
    private_exchange(work->wide, 2 * limbs, work->other);
    private_add(work->wide, work->other, 2 * limbs, work->wide);
    private_reduce_once(work->wide, work->n, 2 * limbs, work->wide);
}

/// Checks the outputs as they would leave, under the public exponent and modulo both primes, whose product must be the modulus.
static void check(private_work *work, const private_token *tokens, size_t n, bool is_right[PRIVATE_TOKENS]) {
    size_t limbs = limbs_of(work);
    const uint8_t *inputs[PRIVATE_TOKENS], *outputs[PRIVATE_TOKENS];
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) inputs[i] = tokens[i].input, outputs[i] = work->output[i];
    memset(&work->difference, 0, sizeof work->difference);
    reduce_bytes(work, outputs, n, work->x);
    public_power(work, tokens, work->x, work->y);
    canonical(work, work->y);
    PRIVATE_FAULT(verified, work->y, limbs * sizeof(lanes));
    reduce_bytes(work, inputs, n, work->x);
    canonical(work, work->x);
    private_compare(work->x, work->y, limbs, &work->difference);
    private_exchange(work->p, limbs, work->low);
    private_wide_multiply(work->p, work->low, work->modulus.blocks, work->wide);
    PRIVATE_FAULT(product, work->wide, 2 * limbs * sizeof(lanes));
    private_compare(work->wide, work->n, 2 * limbs, &work->difference);

    uint64_t differences[PRIVATE_LANES], verdicts[PRIVATE_TOKENS];
    memcpy(differences, &work->difference, sizeof differences);
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) {
        uint64_t any = differences[i] | differences[i + PRIVATE_TOKENS];
        verdicts[i] = (any | (0 - any)) >> 63;
    }
    // Public by design: whether the check has failed.
    private_shown(verdicts, sizeof verdicts);
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) is_right[i] = verdicts[i] == 0;
}

bool private_pass(private_work *work, private_token tokens[PRIVATE_TOKENS], bool is_right[PRIVATE_TOKENS]) {
    size_t n = tokens[0].key->bytes;
    work->modulus.n = work->p;
    work->modulus.blocks = tokens[0].key->blocks;
    size_t limbs = limbs_of(work);
    const uint8_t *inputs[PRIVATE_TOKENS];
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) {
        load_key(work, i, tokens[i].key);
        inputs[i] = tokens[i].input;
    }
    if (!load_pairs(work, tokens) || !private_random(work->random, sizeof(lanes))) {
        for (size_t i = 0; i < PRIVATE_TOKENS; i++) tokens[i].blinding->pairs[i].uses = PRIVATE_BLINDING_USES;
        return false;
    }
    size_t bits = blind_exponent(work, work->d);
    reduce_bytes(work, inputs, n, work->y);
    private_multiply(work->y, work->factor, &work->modulus, work->x);
    PRIVATE_FAULT(base, work->x, limbs * sizeof(lanes));
    power(work, work->x, bits, work->y);
    PRIVATE_FAULT(power, work->y, limbs * sizeof(lanes));
    private_multiply(work->y, work->removal, &work->modulus, work->x);
    PRIVATE_FAULT(unblinded, work->x, limbs * sizeof(lanes));
    store_pairs(work, tokens);
    combine(work, work->x);
    PRIVATE_FAULT(combined, work->wide, 2 * limbs * sizeof(lanes));
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) {
        get(work->wide, i, work->number, 2 * limbs);
        limbs_write(work->number, 2 * limbs, work->output[i], n);
    }
    PRIVATE_FAULT(output, work->output, sizeof work->output);
    check(work, tokens, n, is_right);
    // A pair that may have caused the fault is not used again.
    for (size_t i = 0; i < PRIVATE_TOKENS; i++)
        if (!is_right[i]) tokens[i].blinding->pairs[i].uses = PRIVATE_BLINDING_USES;
    return true;
}

/// Returns -p^-1 modulo 2^52, by Newton's iteration, without a branch on p.
static uint64_t negative_inverse(uint64_t p) {
    uint64_t inverse = p;
    for (int bits = 3; bits < 52; bits *= 2) inverse *= 2 - p * inverse;
    return (0 - inverse) & (uint64_t)LIMB;
}

bool private_key_prepare(private_work *work, cjose_private_rsa_key *key) {
    size_t blocks = key->blocks, limbs = blocks * COLUMNS;
    work->modulus.n = work->p;
    work->modulus.blocks = blocks;
    for (size_t prime = 0; prime < 2; prime++)
        key->primes[prime].inverse = negative_inverse(key->primes[prime].p[0]);
    for (size_t token = 0; token < PRIVATE_TOKENS; token++) load_key(work, token, key);
    // The highest bit of a prime is set, so that the power of two below it is smaller; doublings lead from there to R, and on.
    memset(work->x, 0, sizeof work->x);
    uint64_t top[PRIVATE_LANES];
    size_t half = blocks * 512 - 1;
    for (size_t lane = 0; lane < PRIVATE_LANES; lane++) top[lane] = (uint64_t)1 << half % 52;
    memcpy(&work->x[half / 52], top, sizeof top);
    size_t doublings = 52 * limbs - half;
    for (int step = 0; step < 3; step++) {
        private_double(work->x, work->p, limbs, doublings);
        lanes *powers[3] = {work->one, work->square, work->cube};
        memcpy(powers[step], work->x, limbs * sizeof(lanes));
        doublings = 52 * limbs;
    }
    // The inverse of the other prime is its power p - 2, which is d + (p - 1) r for the d of p - 2 and an r of zero.
    private_set_one(work->y, limbs);
    private_complement(work->y, work->p, limbs, work->z);
    memset(work->random, 0, sizeof work->random);
    size_t bits = blind_exponent(work, work->z);
    private_exchange(work->p, limbs, work->low);
    private_multiply(work->low, work->square, &work->modulus, work->x);
    power(work, work->x, bits, work->y);
    canonical(work, work->y);
    memcpy(work->inverse_of_other, work->y, limbs * sizeof(lanes));
    for (size_t prime = 0; prime < 2; prime++) {
        size_t lane = prime * PRIVATE_TOKENS;
        get(work->one, lane, key->primes[prime].one, limbs);
        get(work->square, lane, key->primes[prime].square, limbs);
        get(work->cube, lane, key->primes[prime].cube, limbs);
        get(work->inverse_of_other, lane, key->primes[prime].inverse_of_other, limbs);
    }
    // Public by design: whether the product of the primes is the modulus.
    memset(&work->difference, 0, sizeof work->difference);
    private_exchange(work->p, limbs, work->low);
    private_wide_multiply(work->p, work->low, blocks, work->wide);
    private_compare(work->wide, work->n, 2 * limbs, &work->difference);
    uint64_t differences[PRIVATE_LANES];
    memcpy(differences, &work->difference, sizeof differences);
    uint64_t verdict = (differences[0] | (0 - differences[0])) >> 63;
    private_shown(&verdict, sizeof verdict);
    return verdict == 0;
}
#endif
#endif
