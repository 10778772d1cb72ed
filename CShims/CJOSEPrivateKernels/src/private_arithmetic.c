#if defined(CJOSE_ACCELERATED)
#if defined(__x86_64__) || defined(CJOSE_LANES_OF_WORDS)
// No stack protector here: all arrays have a fixed size, and no length comes from a caller. The check of the object
// (Tests/Programs/PrivateKernelChecker/objects.py) allows no call in these functions, and no load that it does not know.
#if __has_attribute(no_stack_protector)
#pragma clang attribute push(__attribute__((no_stack_protector)), apply_to = function)
#endif
#include "private_arithmetic.h"

IFMA void private_multiply(const lanes *a, const lanes *b, const product_modulus *modulus, lanes *out) {
    // A copy, so that the fields are read once: the check of the object lists what general registers read.
    const product_modulus copy = *modulus;
    product_multiply(a, b, &copy, out);
}

IFMA void private_square(const lanes *a, const product_modulus *modulus, lanes *out) {
    const product_modulus copy = *modulus;
    product_square(a, &copy, out);
}

IFMA void private_wide_multiply(const lanes *a, const lanes *b, size_t blocks, lanes *out) {
    lanes sum[COLUMNS], carry = lanes_zero();
    for (size_t block = 0; block < 2 * blocks; block++) {
        product_clear(sum);
        if (block < blocks) {
            product_add_rows(sum, a, b + block * COLUMNS, block * COLUMNS);
            product_add_lower(sum, a + block * COLUMNS, b);
        } else {
            size_t first = (block - blocks + 1) * COLUMNS;
            product_add_upper(sum, a + first - COLUMNS, b + (blocks - 1) * COLUMNS);
            product_add_rows(sum, a + first, b + block * COLUMNS - first, blocks * COLUMNS - first);
        }
        LANES_WHOLE for (int t = 0; t < COLUMNS; t++) {
            sum[t] = lanes_add(sum[t], carry);
            out[block * COLUMNS + (size_t)t] = lanes_and(sum[t], lanes_all(LIMB));
            carry = lanes_carry(sum[t]);
        }
    }
}

IFMA void private_digits(const lanes *exponent, size_t bit, unsigned bits, lanes *digits) {
    size_t limb = bit / 52;
    unsigned shift = (unsigned)(bit % 52);
    lanes low = lanes_right(exponent[limb], shift), high = lanes_left(exponent[limb + 1], 52 - shift);
    *digits = lanes_and(lanes_or(low, high), lanes_all(((uint64_t)1 << bits) - 1));
}

IFMA void private_scan(const lanes *table, size_t entries, size_t blocks, const lanes *digits, lanes *out) {
    for (size_t block = 0; block < blocks; block++) {
        const lanes *at = table + block * COLUMNS;
        lanes sum[COLUMNS], left = *digits;
        product_clear(sum);
        for (size_t entry = 0; entry < entries; entry++, at += blocks * COLUMNS) {
            // The number of entries before the sought one changes its sign behind zero only.
            lanes less = lanes_hidden(lanes_sub(left, lanes_all(1)));
            lanes mask = lanes_hidden(lanes_sign(lanes_and(less, lanes_xor(left, lanes_all(UINT64_MAX)))));
            LANES_WHOLE for (int t = 0; t < COLUMNS; t++) sum[t] = lanes_or(sum[t], lanes_and(mask, at[t]));
            left = less;
        }
        LANES_WHOLE for (int t = 0; t < COLUMNS; t++) out[block * COLUMNS + (size_t)t] = sum[t];
    }
}

IFMA void private_reduce_once(const lanes *x, const lanes *n, size_t limbs, lanes *out) {
    lanes borrow = lanes_zero();
    for (size_t i = 0; i < limbs; i++) borrow = lanes_sign(lanes_add(lanes_sub(x[i], n[i]), borrow));
    lanes is_below = borrow;
    borrow = lanes_zero();
    for (size_t i = 0; i < limbs; i++) {
        lanes difference = lanes_add(lanes_sub(x[i], n[i]), borrow);
        borrow = lanes_sign(difference);
        out[i] = lanes_choose(is_below, x[i], lanes_and(difference, lanes_all(LIMB)));
    }
}

IFMA void private_add(const lanes *a, const lanes *b, size_t limbs, lanes *out) {
    lanes carry = lanes_zero();
    for (size_t i = 0; i < limbs; i++) {
        lanes sum = lanes_add(lanes_add(a[i], b[i]), carry);
        out[i] = lanes_and(sum, lanes_all(LIMB));
        carry = lanes_carry(sum);
    }
}

IFMA void private_double(lanes *x, const lanes *n, size_t limbs, size_t times) {
    for (size_t time = 0; time < times; time++) {
        lanes carry = lanes_zero(), borrow = lanes_zero();
        for (size_t i = 0; i < limbs; i++) {
            lanes sum = lanes_add(lanes_add(x[i], x[i]), carry);
            x[i] = lanes_and(sum, lanes_all(LIMB));
            carry = lanes_carry(sum);
            borrow = lanes_sign(lanes_add(lanes_sub(x[i], n[i]), borrow));
        }
        lanes is_below = borrow;
        borrow = lanes_zero();
        for (size_t i = 0; i < limbs; i++) {
            lanes difference = lanes_add(lanes_sub(x[i], n[i]), borrow);
            borrow = lanes_sign(difference);
            x[i] = lanes_choose(is_below, x[i], lanes_and(difference, lanes_all(LIMB)));
        }
    }
}

IFMA void private_blind_exponent(const lanes *d, const lanes *p, const lanes *r, size_t limbs, lanes *out) {
    lanes carry = lanes_zero(), before = lanes_zero(), second = lanes_zero();
    for (size_t i = 0; i < limbs + 3; i++) {
        // The multiplicand p - 1 differs from the odd p in its lowest bit only.
        lanes sum = carry, limb = lanes_zero();
        if (i < limbs) {
            limb = i == 0 ? lanes_sub(p[0], lanes_all(1)) : p[i];
            sum = lanes_add(sum, d[i]);
        }
        sum = lanes_low(sum, limb, r[0]);
        sum = lanes_high(sum, before, r[0]);
        sum = lanes_low(sum, before, r[1]);
        sum = lanes_high(sum, second, r[1]);
        out[i] = lanes_and(sum, lanes_all(LIMB));
        carry = lanes_carry(sum);
        second = before, before = limb;
    }
}

IFMA void private_complement(const lanes *d, const lanes *p, size_t limbs, lanes *out) {
    lanes borrow = lanes_all(UINT64_MAX);
    for (size_t i = 0; i < limbs; i++) {
        lanes difference = lanes_add(lanes_sub(p[i], d[i]), borrow);
        out[i] = lanes_and(difference, lanes_all(LIMB));
        borrow = lanes_sign(difference);
    }
}

IFMA void private_exchange(const lanes *a, size_t limbs, lanes *out) {
    for (size_t i = 0; i < limbs; i++) out[i] = lanes_exchange(a[i]);
}

IFMA void private_compare(const lanes *a, const lanes *b, size_t limbs, lanes *difference) {
    lanes all = *difference;
    for (size_t i = 0; i < limbs; i++) all = lanes_or(all, lanes_xor(a[i], b[i]));
    *difference = all;
}

IFMA void private_replace(lanes *x, const lanes *other, const lanes *mask, size_t limbs) {
    for (size_t i = 0; i < limbs; i++) x[i] = lanes_choose(*mask, other[i], x[i]);
}

IFMA void private_set_one(lanes *x, size_t limbs) {
    for (size_t i = 0; i < limbs; i++) x[i] = lanes_all(i == 0);
}

IFMA void private_cut(lanes *x, size_t limbs) {
    for (size_t i = 0; i < limbs; i++) x[i] = lanes_and(x[i], lanes_all(LIMB));
}

IFMA void private_split(const lanes *words, lanes *limbs) {
    lanes word = *words;
    limbs[0] = lanes_and(word, lanes_all(LIMB));
    limbs[1] = lanes_carry(word);
}
#if __has_attribute(no_stack_protector)
#pragma clang attribute pop
#endif
#endif
#endif
