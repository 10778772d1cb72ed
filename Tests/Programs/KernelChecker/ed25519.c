#if defined(CJOSE_ACCELERATED)
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "checker.h"

enum { KEYS = 24, BATCH = 150, TEXT = 300, NUMBERS = 50 };

typedef struct pair {
    uint8_t public_key[32], secret[64];
    cjose_kernel_ed25519_key *key;
} pair;

typedef struct ed_case {
    uint8_t public_key[32], signature[64], text[TEXT];
    size_t length;
    const cjose_kernel_ed25519_key *key;
} ed_case;

static bool is_covered(void) { return cjose_kernel_form_current() == cjose_kernel_form_ifma; }

static pair pair_make(dice *dice) {
    pair made;
    uint8_t seed[32];
    dice_fill(dice, seed, sizeof seed);
    need(crypto_sign_seed_keypair(made.public_key, made.secret, seed) == 0, "crypto_sign_seed_keypair");
    made.key = cjose_kernel_ed25519_key_new(made.public_key);
    need((made.key != NULL) == is_covered(), "cjose_kernel_ed25519_key_new");
    return made;
}

static void sign(dice *dice, const pair *pair, bool has_table, ed_case *out) {
    out->length = dice_below(dice, TEXT);
    dice_fill(dice, out->text, out->length);
    memcpy(out->public_key, pair->public_key, 32);
    out->key = has_table ? pair->key : NULL;
    need(crypto_sign_detached(out->signature, NULL, out->text, out->length, pair->secret) == 0, "crypto_sign_detached");
}

/// Compares the results of one call with libsodium's, and returns the number of valid ones.
static size_t compare(dice *dice, const ed_case *cases, size_t count, const char *what) {
    cjose_kernel_ed25519_job jobs[BATCH];
    uint8_t results[BATCH];
    size_t valid = 0;
    for (size_t i = 0; i < count; i++)
        jobs[i] = (cjose_kernel_ed25519_job){
            cases[i].public_key, cases[i].key, cases[i].text, cases[i].length, cases[i].signature};
    memset(results, 0xA5, sizeof results);
    cjose_kernel_ed25519_verify(jobs, count, results);
    for (size_t i = 0; i < count; i++) {
        if (!is_covered()) {
            if (results[i] != cjose_kernel_not_covered) fail("%s: a result without kernels", what);
            continue;
        }
        bool ok = crypto_sign_verify_detached(cases[i].signature, cases[i].text, cases[i].length, cases[i].public_key) == 0;
        valid += ok;
        if (spoilt(dice, results[i]) == (ok ? cjose_kernel_valid : cjose_kernel_invalid)) continue;
        show("key", cases[i].public_key, 32);
        show("signature", cases[i].signature, 64);
        show("text", cases[i].text, cases[i].length);
        fail("%s: %d, libsodium %d, index %zu of %zu, %s", what, results[i], ok, i, count, cases[i].key ? "table" : "no table");
    }
    return valid;
}

/// Writes y of 0 ... 1, of order 8, of -1, and all that are not canonical, with either sign of x.
static void edge(size_t index, uint8_t out[32]) {
    static const uint8_t eighth[2][32] = {
        {0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
         0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
        {0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
         0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a}};
    size_t number = index / 2;
    memset(out, 0, 32);
    if (number < 2) out[0] = (uint8_t)number;
    else if (number < 4) memcpy(out, eighth[number - 2], 32);
    else {
        // From p - 2 on.
        memset(out, 0xFF, 32);
        out[0] = (uint8_t)(0xEB + number - 4), out[31] = 0x7F;
    }
    if (index % 2 != 0) out[31] |= 0x80;
}
_Static_assert(NUMBERS == 2 * (4 + 21), "the numbers p - 2 ... 2^255 - 1");

/// Writes a scalar: small, around L, around the limits of its bytes, or random.
static void some_scalar(dice *dice, size_t index, uint8_t out[32]) {
    static const uint8_t order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
                                      0x14, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
                                      0,    0x10};
    memset(out, 0, 32);
    switch (index % 12) {
    case 0: break;
    case 1: out[0] = 1; break;
    case 2:
    case 3:
    case 4: memcpy(out, order, 32), out[0] = (uint8_t)(out[0] + index % 12 - 3); break;
    case 5: memset(out, 0xFF, 32); break;
    case 6: out[31] = 0x10; break;
    case 7: memset(out, 0xFF, 31), out[31] = 0x0F; break;
    case 8: out[31] = 0x20; break;
    default: dice_shape(dice, out, 32), out[31] &= 0x1F;
    }
}

static void add_order(uint8_t scalar[32]) {
    uint8_t order[32];
    dice none = {0};
    some_scalar(&none, 3, order);
    unsigned carry = 0;
    for (int i = 0; i < 32; i++) carry += scalar[i] + order[i], scalar[i] = (uint8_t)carry, carry >>= 8;
}

/// Adds a point of small order; where libsodium has no sum, the encoding becomes random.
static void add_torsion(dice *dice, uint8_t point[32]) {
    uint8_t small[32], sum[32];
    edge(dice_below(dice, 8), small);
    if (crypto_core_ed25519_add(sum, point, small) == 0) memcpy(point, sum, 32);
    else dice_fill(dice, point, 32);
}

static void check_edges(dice *dice, const pair *pairs) {
    static ed_case cases[BATCH];
    size_t count = 0, all = 0, valid = 0;
    // Each special encoding as a key, as R, and as both, with special scalars.
    for (size_t key = 0; key <= NUMBERS; key++)
        for (size_t r = 0; r <= NUMBERS; r++, all++) {
            ed_case *one = &cases[count++];
            sign(dice, &pairs[r % KEYS], key == NUMBERS && r % 2 == 0, one);
            if (key < NUMBERS) edge(key, one->public_key), one->key = NULL;
            if (r < NUMBERS) edge(r, one->signature);
            if (r < NUMBERS || key % 2 == 0) some_scalar(dice, key + r, one->signature + 32);
            if (key < NUMBERS) {
                cjose_kernel_ed25519_key *table = cjose_kernel_ed25519_key_new(one->public_key);
                if (table != NULL) {
                    // A key that libsodium accepts, as p - 2 may be.
                    uint8_t sum[32];
                    if (crypto_core_ed25519_add(sum, one->public_key, pairs[0].public_key) != 0) fail("a table of no point");
                    cjose_kernel_ed25519_key_free(table);
                }
            }
            if (count == BATCH || (key == NUMBERS && r == NUMBERS)) valid += compare(dice, cases, count, "edges"), count = 0;
        }
    // Calls of 0 to 150, with one invalid signature at an index, with and without tables in turn.
    for (size_t size = 0; size <= BATCH; size += size < 20 ? 1 : 13) {
        for (size_t i = 0; i < size; i++) sign(dice, &pairs[i % KEYS], (size + i) % 3 != 0, &cases[i]);
        size_t good = compare(dice, cases, size, "indices");
        if (is_covered() && good != size) fail("indices: %zu of %zu are valid", good, size);
        if (size != 0) cases[dice_below(dice, size)].signature[dice_below(dice, 64)] ^= 4;
        valid += compare(dice, cases, size, "indices"), all += 2 * size;
    }
    printf("  edges: %zu, %zu valid\n", all, valid);
}

static void check_random(dice *dice, const pair *pairs, size_t count) {
    static ed_case cases[BATCH];
    size_t valid = 0, done = 0;
    while (done < count) {
        size_t size = 1 + dice_below(dice, dice_below(dice, 4) == 0 ? 9 : BATCH), only = dice_below(dice, 3);
        if (size > count - done) size = count - done;
        for (size_t i = 0; i < size; i++) {
            ed_case *one = &cases[i];
            const pair *from = &pairs[dice_below(dice, KEYS)];
            sign(dice, from, only == 0 || (only == 1 && dice_below(dice, 2) != 0), one);
            switch (dice_below(dice, 20)) {
            case 0: one->signature[dice_below(dice, 32)] ^= (uint8_t)(1u << dice_below(dice, 8)); break;
            case 1: one->signature[32 + dice_below(dice, 32)] ^= (uint8_t)(1u << dice_below(dice, 8)); break;
            case 2: one->public_key[dice_below(dice, 32)] ^= (uint8_t)(1u << dice_below(dice, 8)), one->key = NULL; break;
            case 3: one->text[0] ^= 1, one->length += one->length == 0; break;
            case 4: add_order(one->signature + 32); break;
            case 5: memcpy(one->public_key, pairs[0].public_key, 32), one->key = one->key != NULL ? pairs[0].key : NULL; break;
            case 6: add_torsion(dice, one->public_key), one->key = NULL; break;
            case 7: add_torsion(dice, one->signature); break;
            case 8: add_torsion(dice, one->public_key), one->key = NULL, add_torsion(dice, one->signature); break;
            case 9: some_scalar(dice, dice_below(dice, 12), one->signature + 32); break;
            default: break;
            }
        }
        valid += compare(dice, cases, size, "random signatures");
        done += size;
    }
    printf("  random signatures: %zu, %zu valid\n", done, valid);
}

/// Signs under a key with a point of small order: R = rB + T, S = r + h a. About an eighth is valid without the cofactor.
static void check_torsion(dice *dice, size_t count) {
    static ed_case cases[BATCH];
    size_t valid = 0;
    for (size_t i = 0; i < count; i++) {
        ed_case *one = &cases[i % BATCH];
        uint8_t scalar[32], nonce[64], reduced[32], digest[64], product[32];
        crypto_hash_sha512_state state;
        dice_fill(dice, nonce, 64), crypto_core_ed25519_scalar_reduce(scalar, nonce);
        need(crypto_scalarmult_ed25519_base_noclamp(one->public_key, scalar) == 0, "libsodium");
        dice_fill(dice, nonce, 64), crypto_core_ed25519_scalar_reduce(reduced, nonce);
        need(crypto_scalarmult_ed25519_base_noclamp(one->signature, reduced) == 0, "libsodium");
        add_torsion(dice, one->public_key);
        if (dice_below(dice, 2) != 0) add_torsion(dice, one->signature);
        one->length = dice_below(dice, TEXT), dice_fill(dice, one->text, one->length);
        crypto_hash_sha512_init(&state);
        crypto_hash_sha512_update(&state, one->signature, 32);
        crypto_hash_sha512_update(&state, one->public_key, 32);
        crypto_hash_sha512_update(&state, one->text, one->length);
        crypto_hash_sha512_final(&state, digest);
        crypto_core_ed25519_scalar_reduce(product, digest);
        crypto_core_ed25519_scalar_mul(product, product, scalar);
        crypto_core_ed25519_scalar_add(one->signature + 32, product, reduced);
        cjose_kernel_ed25519_key *table = i % 16 == 0 ? cjose_kernel_ed25519_key_new(one->public_key) : NULL;
        one->key = table;
        if (table != NULL) {
            valid += compare(dice, one, 1, "points of small order in keys");
            cjose_kernel_ed25519_key_free(table);
            one->key = NULL;
        }
        if (i % BATCH == BATCH - 1 || i == count - 1)
            valid += compare(dice, cases, i % BATCH + 1, "points of small order in keys");
    }
    if (is_covered() && (valid == 0 || valid >= count)) fail("points of small order: %zu of %zu valid", valid, count);
    printf("  points of small order in keys: %zu, %zu valid\n", count, valid);
}

void ed25519_check(dice *dice, size_t count) {
    need(sodium_init() >= 0, "sodium_init");
    pair pairs[KEYS];
    for (int i = 0; i < KEYS; i++) pairs[i] = pair_make(dice);
    if (!is_covered()) puts("  not covered");
    check_edges(dice, pairs);
    check_torsion(dice, count < 20000 ? 1000 : count / 20);
    check_random(dice, pairs, count);
    for (int i = 0; i < KEYS; i++) cjose_kernel_ed25519_key_free(pairs[i].key);
}

void ed25519_bench(dice *dice) {
    enum { ROUNDS = 41, MANY = 64 };
    need(sodium_init() >= 0, "sodium_init");
    static uint8_t text[700];
    static ed_case cases[MANY];
    pair pairs[MANY];
    dice_fill(dice, text, sizeof text);
    for (int i = 0; i < MANY; i++) {
        pairs[i] = pair_make(dice);
        need(crypto_sign_detached(cases[i].signature, NULL, text, sizeof text, pairs[i].secret) == 0, "crypto_sign_detached");
    }
    for (int has_tables = 1; has_tables >= 0; has_tables--)
        for (size_t size = 8; size <= MANY; size *= 8) {
            cjose_kernel_ed25519_job jobs[MANY];
            uint8_t results[MANY];
            double ours[ROUNDS], theirs[ROUNDS], ratios[ROUNDS];
            for (size_t i = 0; i < size; i++)
                jobs[i] = (cjose_kernel_ed25519_job){
                    pairs[i].public_key, has_tables ? pairs[i].key : NULL, text, sizeof text, cases[i].signature};
            for (int round = 0; round < ROUNDS; round++) {
                double begun = seconds();
                for (size_t i = 0; i < 512; i += size) cjose_kernel_ed25519_verify(jobs, size, results);
                ours[round] = (seconds() - begun) / 512 * 1e6;
                begun = seconds();
                for (size_t i = 0; i < 32; i++)
                    need(crypto_sign_verify_detached(cases[i].signature, text, sizeof text, pairs[i].public_key) == 0, "libsodium");
                theirs[round] = (seconds() - begun) / 32 * 1e6;
                ratios[round] = theirs[round] / ours[round];
            }
            printf(
                "  %s, %zu at once: %.2f us, libsodium %.2f us, ratio %.1f\n", has_tables ? "keys with tables" : "unknown keys",
                size, median(ours, ROUNDS), median(theirs, ROUNDS), median(ratios, ROUNDS));
        }
    for (int i = 0; i < MANY; i++) cjose_kernel_ed25519_key_free(pairs[i].key);
}
#endif
