#ifndef CJOSE_BYTES_H
#define CJOSE_BYTES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The implementations of base64url below; the CPU determines which ones exist.
typedef enum __attribute__((enum_extensibility(closed))) cjose_form : int32_t {
    cjose_form_portable = 0,
    cjose_form_avx2 = 1,
    cjose_form_avx512 = 2,
    cjose_form_neon = 3,
} cjose_form;

/// Returns the form in use: the best that the CPU has, or the one forced.
cjose_form cjose_form_current(void);
/// Uses `form` from now on; false where this CPU lacks it. It is for tests, and not called while encoding or decoding runs.
bool cjose_form_force(cjose_form form);

/// Writes ceil(4n/3) bytes to `out` (RFC 4648, 5, without padding). `in` may be null where `n` is 0.
void cjose_base64url_encode(const void *_Nullable in, size_t n, void *_Nullable out);
/// Writes 3n/4 (rounded down) bytes to `out`, never more. False, with `out` undefined, for a length of 4k+1, a byte outside the
/// alphabet, or unused bits that are not zero. `out` may equal `in` (decoding in place).
bool cjose_base64url_decode(const void *_Nullable in, size_t n, void *_Nullable out) __attribute__((warn_unused_result));

/// Writes the positions of the first `max` dots to `dots`, and returns how many there are, counting at most `max` + 1.
size_t cjose_find_dots(const void *_Nullable in, size_t n, size_t *dots, size_t max);
/// Returns the length of the plain run of a JSON string: bytes 0x20...0x7F except `"` and `\`.
static inline size_t cjose_json_run(const void *_Nullable in, size_t n);
/// Returns the number of digits at the beginning.
static inline size_t cjose_digit_run(const void *_Nullable in, size_t n);
/// Returns the length of the complete UTF-8 sequences beyond ASCII at the beginning, at which `cjose_json_run` stops.
size_t cjose_utf8_run(const void *_Nullable in, size_t n);
/// Whether the bytes are well-formed UTF-8 (RFC 3629).
bool cjose_utf8_valid(const void *_Nullable in, size_t n);

/// Overwrites memory in a way that the compiler keeps.
void cjose_wipe(void *_Nullable p, size_t n);
/// Compares in a time that depends on `n` only.
bool cjose_equal(const void *_Nullable a, const void *_Nullable b, size_t n);

/// Compares bytes that are not secret; stops at the first that differs.
static inline bool cjose_same(const void *_Nullable a, const void *_Nullable b, size_t n) {
    return n == 0 || __builtin_memcmp(a, b, n) == 0;
}

/// Compares bytes that are not secret, and returns a number below, at or above 0: by the first byte that differs, or by length.
static inline int cjose_order(const void *_Nullable a, size_t a_len, const void *_Nullable b, size_t b_len) {
    size_t shared = a_len < b_len ? a_len : b_len;
    int order = shared == 0 ? 0 : __builtin_memcmp(a, b, shared);
    return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

/// Returns the seconds since 1970 by the system's clock.
double cjose_clock_now(void);
/// Returns the seconds since 1970 as they were at the last tick of the system: up to 10 ms before `cjose_clock_now`.
double cjose_clock_coarse(void);
/// Returns the seconds since an arbitrary moment, by a clock that is never set and that goes on while the machine sleeps.
double cjose_clock_elapsed(void);
/// Stops this thread for a time; a signal may wake it before. The system's own slack of some ten microseconds is turned off for
/// the thread, where possible.
void cjose_clock_sleep(uint64_t nanoseconds);
/// Returns the number of processors on which this thread may run, or of those that are online where threads have no affinity.
int64_t cjose_processors(void);

#pragma clang assume_nonnull end
#include "cjose_runs.h"
#include "cjose_threaded.h"
#endif
