#ifndef CJOSE_ED25519_INTERNAL_H
#define CJOSE_ED25519_INTERNAL_H
#include <stdbool.h>

#include "ed25519_field.h"
#include "kernel_ed25519.h"

#define ED_LANES 8
/// The bits of a window of a key, of the base point, and of a key without a table.
#define ED_KEY_BITS 7
#define ED_KEY_WINDOWS 37
#define ED_BASE_BITS 10
#define ED_BASE_WINDOWS 26
#define ED_BITS 5
#define ED_WINDOWS 51
#define ED_WINDOWS_MAX 51

/// A multiple of a point: y - x, y + x and 2dxy.
typedef uint64_t ed_entry[16];

/// A point of each lane: x = X/Z, y = Y/Z, T = XY/Z.
typedef struct ed_point {
    ed_number x, y, z, t;
} ed_point;

struct cjose_kernel_ed25519_key {
    /// The multiples 0...64 of -A 2^(7 window).
    ed_entry table[ED_KEY_WINDOWS][(1 << (ED_KEY_BITS - 1)) + 1];
};

/// The points of eight encodings, with the other sign, and whether each encoding is one of a point.
void ed_decode_negated(const uint8_t *const encodings[ED_LANES], ed_point *out, bool is_point[ED_LANES]);
/// Whether libsodium accepts the encoding of a key as far as its bytes show: canonical, and not of small order.
bool ed_is_acceptable(const uint8_t encoding[32]);
bool ed_has_small_order(const uint8_t encoding[32]);
/// Computes 2^bits-adic tables of a point that all lanes have. False without memory.
bool ed_table_fill(ed_entry *table, unsigned windows, unsigned bits, const ed_point *base);
/// Adds S B to each lane's sum, with digits of the width of the base point's table, and h times the point of each lane.
void ed_add_base(ed_point *sum, const int16_t digits[ED_LANES][ED_WINDOWS_MAX]);
void ed_add_keys(
    ed_point *sum, const cjose_kernel_ed25519_key *const keys[ED_LANES], const int16_t digits[ED_LANES][ED_WINDOWS_MAX]);
void ed_multiply(ed_point *sum, const ed_point *base, const int16_t digits[ED_LANES][ED_WINDOWS_MAX]);
/// Prepares the table of the base point; false without memory.
bool ed_prepare(void);
void ed_set_zero(ed_point *out);
/// Computes the encodings of up to `ED_GROUPS` points of each lane: y, and the sign of x above it.
#define ED_GROUPS 8
void ed_encode(const ed_point *points, size_t groups, uint64_t encodings[][ED_LANES][5]);

/// Reads 32 little-endian bytes as limbs of 52 bits.
void ed_limbs(const uint8_t bytes[32], uint64_t limbs[5]);
bool ed_is_same(const uint64_t *a, const uint64_t *b, size_t count);
/// Whether the scalar is below the order L of the base point.
bool ed_scalar_is_canonical(const uint8_t scalar[32]);
/// Reduces 64 little-endian bytes modulo L.
void ed_scalar_reduce(const uint8_t bytes[64], uint64_t out[4]);
/// Writes a scalar below L in signed digits of -2^(bits-1) ... 2^(bits-1).
void ed_scalar_digits(const uint64_t scalar[4], unsigned windows, unsigned bits, int16_t *digits);
#endif
