#ifndef CJOSE_PRIVATE_INTERNAL_H
#define CJOSE_PRIVATE_INTERNAL_H
#include <openssl/types.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "private_arithmetic.h"
#include "private_rsa.h"

/// The number of tokens of one pass. Token i is in lane i modulo its p, and in lane i + 4 modulo its q.
#define PRIVATE_TOKENS 4
#define PRIVATE_LANES 8
#define PRIVATE_LIMBS 40
#define PRIVATE_BYTES 512
/// The random bits by which an exponent is blinded.
#define PRIVATE_EXPONENT_BLINDING 64
/// The number of times that a pair of blinding factors is used, squared after each.
#define PRIVATE_BLINDING_USES 32
/// The number of passes with one key that keep their blinding factors for the next ones.
#define PRIVATE_BLINDINGS 64
/// The largest table: 16 entries of 40 limbs, or 32 of 20.
#define PRIVATE_TABLE 640

/// A prime p of a key, and the constants modulo p, for R = 2^(52 limbs).
typedef struct private_prime {
    uint64_t p[PRIVATE_LIMBS], d[PRIVATE_LIMBS];
    /// R, R^2 and R^3 modulo p.
    uint64_t one[PRIVATE_LIMBS], square[PRIVATE_LIMBS], cube[PRIVATE_LIMBS];
    /// The inverse of the other prime.
    uint64_t inverse_of_other[PRIVATE_LIMBS];
    /// The number -p^-1 mod 2^52.
    uint64_t inverse;
} private_prime;

/// The blinding factors of a pass, in Montgomery form: for each token and prime t, and t^-d, which removes what t
/// became.
typedef struct private_blinding {
    struct {
        unsigned uses;
        uint64_t factor[2][PRIVATE_LIMBS], removal[2][PRIVATE_LIMBS];
    } pairs[PRIVATE_TOKENS];
    /// The process that made the pairs: a child makes its own.
    pid_t process;
    uint64_t generation;
} private_blinding;

struct cjose_private_rsa_key {
    size_t bytes;
    size_t blocks;
    uint64_t e;
    /// Limbs and bytes of the modulus.
    uint64_t n[2 * PRIVATE_LIMBS];
    uint8_t modulus[PRIVATE_BYTES];
    private_prime primes[2];
    EVP_PKEY * pkey;
    _Atomic(private_blinding *) blindings[PRIVATE_BLINDINGS];
};

/// The memory of one pass: all secrets of it, and the table. It is wiped when it is given back, behind the
/// last pass of a call.
typedef struct private_work {
    lanes table[PRIVATE_TABLE];
    lanes p[PRIVATE_LIMBS], d[PRIVATE_LIMBS], one[PRIVATE_LIMBS], square[PRIVATE_LIMBS], cube[PRIVATE_LIMBS];
    lanes inverse_of_other[PRIVATE_LIMBS], factor[PRIVATE_LIMBS], removal[PRIVATE_LIMBS];
    lanes n[2 * PRIVATE_LIMBS], exponent[PRIVATE_LIMBS + 3];
    lanes x[PRIVATE_LIMBS], y[PRIVATE_LIMBS], z[PRIVATE_LIMBS], scratch[PRIVATE_LIMBS];
    lanes low[PRIVATE_LIMBS], high[PRIVATE_LIMBS], wide[2 * PRIVATE_LIMBS], other[2 * PRIVATE_LIMBS];
    lanes random[2], digits, difference, mask;
    product_modulus modulus;
    uint64_t number[2 * PRIVATE_LIMBS];
    uint8_t filler[PRIVATE_TOKENS][PRIVATE_BYTES];
    uint8_t output[PRIVATE_TOKENS][PRIVATE_BYTES];
} private_work;

/// One token of a pass.
typedef struct private_token {
    const cjose_private_rsa_key *key;
    const uint8_t *input;
    private_blinding *blinding;
} private_token;

/// Computes the powers of four tokens with keys of one size into `work->output`. A lane of `is_right` is false where
/// the result does not give the input again under the public exponent: it must not leave. Returns false without
/// randomness. Its frame lies below that of the caller, which wipes the stack there.
__attribute__((noinline)) bool private_pass(
    private_work *work, private_token tokens[PRIVATE_TOKENS], bool is_right[PRIVATE_TOKENS]);
/// Computes the constants of a key whose size, modulus, exponent, primes and exponents of the primes are set. Returns
/// false where the numbers are not those of a key.
__attribute__((noinline)) bool private_key_prepare(private_work *work, cjose_private_rsa_key *key);

/// Returns zeroed memory of whole pages that core dumps leave out, and that is locked where the system allows it. A
/// child process can have zeros in its place.
void * private_memory_new(size_t size, bool is_wiped_on_fork);
void private_memory_free(void * memory, size_t size);
/// Returns the memory of a pass, which the caller gives back, wiped.
private_work * private_work_take(void);
void private_work_give(private_work *work);
void private_wipe(void *memory, size_t size);
/// Wipes vector registers, and the stack below the caller's frame, where kernels have kept numbers.
void private_wipe_traces(void);

/// Returns the blinding factors of a key that no other pass uses, or null without memory.
private_blinding * private_blinding_take(cjose_private_rsa_key *key);
void private_blinding_give(cjose_private_rsa_key *key, private_blinding *blinding);

/// Writes random bytes for secrets, by libcrypto's generator for private values, which a fork reseeds.
bool private_random(void *out, size_t n);
/// Returns whether all keys have the size of the first.
bool private_have_one_size(cjose_private_rsa_key *const *keys, size_t count);
/// Computes a power by libcrypto.
bool private_power_of_libcrypto(const cjose_private_rsa_key *key, const uint8_t *input, uint8_t *output);

/// Declares values public that have depended on secrets: the verdict of the check with the public exponent.
#if defined(CJOSE_MARKED_MEMORY)
void private_shown(const void *at, size_t n);
#else
static inline void private_shown(const void *at, size_t n) { (void)at, (void)n; }
#endif

#if defined(CJOSE_PRIVATE_FAULTS)
/// The stages at which the checker changes numbers.
typedef enum private_stage : int {
    private_stage_base, private_stage_power, private_stage_unblinded, private_stage_combined, private_stage_output,
    private_stage_verified, private_stage_product, private_stage_pair, private_stage_count,
} private_stage;
void private_fault(private_stage stage, void *numbers, size_t size);
#define PRIVATE_FAULT(stage, numbers, size) private_fault(private_stage_##stage, numbers, size)
#else
#define PRIVATE_FAULT(stage, numbers, size) ((void)0)
#endif
#endif
