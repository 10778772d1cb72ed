#include "../../../../CShims/CJOSEPrivateKernels/src/private_arithmetic.h"
#include "marks.h"

// Compiled as the kernels are. Each leak is one that a kernel could have, and must be found by MemorySanitizer, by memcheck and, in
// the object, by objects.py.

uint64_t leak_table[32] __attribute__((aligned(64)));
static volatile uint64_t sink;

/// An assembly statement in each branch keeps the compiler from making a conditional move of it.
__attribute__((noinline)) void leak_branch(const void *secret) {
    const uint64_t *words = secret;
    if (words[3] & 1) __asm__ volatile("nop" : : : "memory");
    else __asm__ volatile("nop; nop" : : : "memory");
}

void leak_index(const void *secret) {
    const uint64_t *words = secret;
    sink = leak_table[words[0] & 31];
}

IFMA void leak_gather(const void *secret) {
#if defined(CJOSE_LANES_OF_WORDS)
    const uint64_t *words = secret;
    for (int i = 0; i < 8; i++) sink = leak_table[words[i] & 31];
#else
    lanes index = lanes_and(*(const lanes *)secret, lanes_all(31)), read = _mm512_i64gather_epi64(index, leak_table, 8);
    __asm__ volatile("" : : "v"(read) : "memory");
#endif
}

void leak_early_exit(const void *secret) {
    const uint64_t *words = secret;
    for (int i = 0; i < 8; i++) {
        if (words[i] != leak_table[i]) break;
        __asm__ volatile("nop" : : : "memory");
    }
}

#if !defined(CJOSE_LANES_OF_WORDS)
/// A mask that decides whether memory is read, and a flag of a vector: these only the object shows.
IFMA void leak_masked_load(const void *secret) {
    lanes read = _mm512_maskz_load_epi64(_mm512_test_epi64_mask(*(const lanes *)secret, lanes_all(1)), leak_table);
    __asm__ volatile("" : : "v"(read) : "memory");
}

IFMA void leak_vector_flag(const void *secret) {
    __m128i low = _mm512_castsi512_si128(*(const lanes *)secret);
    if (_mm_testz_si128(low, low)) __asm__ volatile("nop" : : : "memory");
}

IFMA void leak_stored_vector(const void *secret) {
    volatile uint64_t words[8];
    *(volatile lanes *)(void *)words = *(const lanes *)secret;
    if (words[2] != 0) __asm__ volatile("nop" : : : "memory");
}

/// A number in a general register, from which an address may be made.
IFMA void leak_moved_vector(const void *secret) {
    lanes numbers = *(const lanes *)secret;
    __asm__ volatile("" : "+v"(numbers));
    long long word = _mm_cvtsi128_si64(_mm512_castsi512_si128(numbers));
    __asm__ volatile("" : : "r"(word) : "memory");
}

/// Another function may do anything with what it is given. The second call is a jump.
IFMA void leak_call(const void *secret) {
    leak_branch(secret);
    __asm__ volatile("" : : : "memory");
}

IFMA void leak_last_call(const void *secret) { leak_branch(secret); }

/// The stack that a frame of this size leaves behind is not wiped.
IFMA void leak_frame(const void *secret) {
    volatile lanes numbers[256];
    for (int i = 0; i < 256; i++) numbers[i] = *(const lanes *)secret;
}
#endif

void (*const leaks[])(const void *) = {leak_branch, leak_index, leak_gather, leak_early_exit};
const char *const leak_names[] = {"a branch", "a table index", "a gather", "an early exit"};
const int leak_count = 4;
