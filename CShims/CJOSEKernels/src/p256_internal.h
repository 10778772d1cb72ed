#ifndef CJOSE_P256_INTERNAL_H
#define CJOSE_P256_INTERNAL_H
#include <stddef.h>

#include "kernel_form.h"
#include "kernel_p256.h"
#include "p256_field.h"

#pragma clang assume_nonnull begin

/// A point as two field elements, each times 2^256, in one cache line.
typedef struct __attribute__((aligned(64))) p256_affine {
    p256_words x, y;
} p256_affine;

/// A point with x = X / ZZ and y = Y / ZZZ, where ZZ^3 = ZZZ^2. ZZ is zero for infinity, and stays zero whatever is
/// added.
typedef struct p256_point {
    p256_words x, y, zz, zzz;
} p256_point;

/// The windows of a key, of 8 bits (256 KiB), and of G, of 11 bits (1.5 MiB; 10 bits make a batch 2 % slower, 13 bits
/// and 5 MiB make it 10 % faster). A scalar u becomes E = (u + 2^(bits * windows) - 1) / 2 mod n. Then u is the sum of
/// (2e - (2^bits - 1)) * 2^(bits * i) over the digits e of E, all of them odd: half of a window's multiples suffice,
/// the others being their negatives, and no digit is zero.
enum {
    P256_Q_BITS = 8,
    P256_Q_WINDOWS = 32,
    P256_Q_ENTRIES = 128,
    P256_G_BITS = 11,
    P256_G_WINDOWS = 24,
    P256_G_ENTRIES = 1024,
    P256_WINDOWS = P256_G_WINDOWS + P256_Q_WINDOWS,
    /// The number of signatures that share an inversion.
    P256_CHUNK = 64,
    P256_LANES = 8,
};

struct cjose_kernel_p256_key {
    p256_affine table[P256_Q_WINDOWS][P256_Q_ENTRIES];
};

_Static_assert(sizeof(cjose_kernel_p256_key) == 256 << 10, "a key takes what its table takes");

extern p256_affine p256_g_table[P256_G_WINDOWS][P256_G_ENTRIES];
/// Computes the table of G, once in a process.
void p256_g_table_prepare(void);

/// Writes `table[i][j] = (2j + 1) * 2^(bits * i) * base`, for a base of order n. `windows` and `bits` are those of a
/// key or of G.
void p256_table_fill(
    cjose_kernel_form form, p256_affine *table, unsigned windows, unsigned bits, const p256_affine *base);
/// Writes the odd multiples of eight windows, one in each lane, given their first point and twice that.
void p256_fill_windows_ifma(
    p256_affine *table, size_t entries, const p256_affine *starts, const p256_affine *twices);
_Static_assert(P256_Q_WINDOWS % 8 == 0 && P256_G_WINDOWS % 8 == 0, "windows are filled eight at a time");
_Static_assert(P256_G_WINDOWS <= P256_Q_WINDOWS, "p256_table_fill has room for the windows of a key");

/// Returns the inverse of a number that is not a multiple of the odd prime `modulus`; `low` is modulus^-1 mod 2^62.
p256_words p256_inverse(const p256_words *a, const p256_words *modulus, uint64_t low);
static const uint64_t p256_p_low = 0x3fffffffffffffff, p256_n_low = 0x332e375511ff43b1;

/// Return sums of points. `a` must not be infinity; where both are the same point or opposite ones, ZZ becomes zero.
p256_point p256_double_affine(const p256_affine *a);
p256_point p256_double(const p256_point *a);
p256_point p256_sum_affine(const p256_affine *a, const p256_affine *b);
p256_point p256_sum_mixed(const p256_point *a, const p256_affine *b);

/// The state of one verification: the number r, the table of the key, and the address of the result. The digits, first
/// those of G and then those of Q, have the index in a table in the low bits, and 0x8000 where the point found there is
/// negated.
typedef struct p256_job {
    p256_words r;
    const p256_affine *table;
    uint8_t *result;
    uint16_t digits[P256_WINDOWS];
} p256_job;
static inline const p256_affine *p256_job_point(const p256_job *job, unsigned window) {
    unsigned index = job->digits[window] & 0x7fff;
    return window < P256_G_WINDOWS ? &p256_g_table[window][index]
                                   : job->table + (window - P256_G_WINDOWS) * P256_Q_ENTRIES + index;
}

/// Completes each job: computes u1 * G + u2 * Q, and compares its x with r modulo n.
void p256_finish_portable(const p256_job *jobs, size_t count);
void p256_finish_ifma(const p256_job *jobs, size_t count);

#pragma clang assume_nonnull end
#endif
