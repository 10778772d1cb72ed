#if defined(CJOSE_ACCELERATED)
#include "rsa.h"
#include "digest_info.h"

bool cjose_kernel_pkcs1_is_valid(int bits, const uint8_t *encoded, size_t n, const uint8_t *digest) {
    const uint8_t *prefix = digest_info_prefixes[bits / 128 - 2];
    size_t size = (size_t)bits / 8, filler = n - size - sizeof digest_info_prefixes[0] - 3;
    unsigned difference = encoded[0] | (encoded[1] ^ 1u) | encoded[2 + filler];
    for (size_t i = 0; i < filler; i++) difference |= encoded[2 + i] ^ 0xFFu;
    const uint8_t *info = encoded + 3 + filler;
    for (size_t i = 0; i < sizeof digest_info_prefixes[0]; i++) difference |= (unsigned)(info[i] ^ prefix[i]);
    for (size_t i = 0; i < size; i++) difference |= (unsigned)(info[sizeof digest_info_prefixes[0] + i] ^ digest[i]);
    return difference == 0;
}
#endif
