#include <sys/mman.h>

#include "checker.h"
#include "hooks.h"

// The linker puts these functions between the kernels and those that they call in other files (--wrap), so that the checker sees what
// passes there and the kernels need no code for it.

watch watched;

void watch_begin(size_t blocks, uint64_t seed) {
    memset(&watched, 0, sizeof watched);
    watched.is_on = true;
    watched.missing_random = SIZE_MAX;
    watched.limbs = blocks * COLUMNS;
    watched.dice.state = seed;
}

void watch_end(void) { watched.is_on = false; }

bool __real_private_random(void *out, size_t n);
bool __wrap_private_random(void *out, size_t n);
bool __wrap_private_random(void *out, size_t n) {
    if (!watched.is_on) return __real_private_random(out, n);
    if (watched.random_requests++ == watched.missing_random) return false;
    dice_fill(&watched.dice, out, n);
    need(watched.random_size + n <= sizeof watched.random, "a record of random bytes");
    memcpy(watched.random + watched.random_size, out, n);
    watched.random_size += n;
    return true;
}

void __real_private_digits(const lanes *exponent, size_t bit, unsigned bits, lanes *digits);
void __wrap_private_digits(const lanes *exponent, size_t bit, unsigned bits, lanes *digits);
void __wrap_private_digits(const lanes *exponent, size_t bit, unsigned bits, lanes *digits) {
    if (watched.is_on) {
        // A power reads its exponent from the highest digit down.
        if (watched.next_bit == 0) {
            need(watched.ladders < LADDERS_MAX, "a record of exponents");
            memcpy(watched.exponents[watched.ladders++], exponent, (watched.limbs + 3) * sizeof(lanes));
        } else if (bit + bits != watched.next_bit) {
            fail("a power skips digits of its exponent");
        } else if (memcmp(watched.exponents[watched.ladders - 1], exponent, (watched.limbs + 3) * sizeof(lanes)) != 0) {
            fail("an exponent changes during a power");
        }
        watched.next_bit = bit;
    }
    __real_private_digits(exponent, bit, bits, digits);
}

bool __real_private_power_of_libcrypto(const cjose_private_rsa_key *key, const uint8_t *input, uint8_t *output);
bool __wrap_private_power_of_libcrypto(const cjose_private_rsa_key *key, const uint8_t *input, uint8_t *output);
bool __wrap_private_power_of_libcrypto(const cjose_private_rsa_key *key, const uint8_t *input, uint8_t *output) {
    if (watched.is_on && watched.is_libcrypto_missing) return false;
    return __real_private_power_of_libcrypto(key, input, output);
}

int __real_munmap(void *memory, size_t size);
int __wrap_munmap(void *memory, size_t size);
int __wrap_munmap(void *memory, size_t size) {
    const uint8_t *bytes = memory;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0) fail("memory was given back to the system before it was wiped");
    return __real_munmap(memory, size);
}
