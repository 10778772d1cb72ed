#if defined(CJOSE_ACCELERATED)
#include "rsa.h"

/// The DER prefix of the digest in DigestInfo (RFC 8017, 9.2, note 1).
static const uint8_t prefixes[3][19] = {
    {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20},
    {0x30, 0x41, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02, 0x05, 0x00, 0x04, 0x30},
    {0x30, 0x51, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03, 0x05, 0x00, 0x04, 0x40},
};

bool cjose_kernel_pkcs1_holds(int bits, const uint8_t *encoded, size_t n, const uint8_t *digest) {
    const uint8_t *prefix = prefixes[bits / 128 - 2];
    size_t size = (size_t)bits / 8, filler = n - size - sizeof prefixes[0] - 3;
    unsigned difference = encoded[0] | (encoded[1] ^ 1u) | encoded[2 + filler];
    for (size_t i = 0; i < filler; i++) difference |= encoded[2 + i] ^ 0xFFu;
    const uint8_t *info = encoded + 3 + filler;
    for (size_t i = 0; i < sizeof prefixes[0]; i++) difference |= (unsigned)(info[i] ^ prefix[i]);
    for (size_t i = 0; i < size; i++) difference |= (unsigned)(info[sizeof prefixes[0] + i] ^ digest[i]);
    return difference == 0;
}
#endif
