#ifdef CJOSE_HTTP
#include <arpa/inet.h>
#include <string.h>

#include "internal.h"

typedef struct range {
    unsigned char prefix[16];
    int bits;
    cjose_fetch_address kind;
    /// The offset of an embedded IPv4 address that is classified instead; 0 where there is none.
    size_t embedded;
} range;

#define GLOBAL cjose_fetch_address_global
#define LOOPBACK cjose_fetch_address_loopback
#define PRIVATE cjose_fetch_address_private
#define LINK cjose_fetch_address_link_local
#define RESERVED cjose_fetch_address_reserved

/// The ranges of IPv4. The first that contains an address determines its kind; the last contains all.
static const range ranges4[] = {
    {{0}, 8, RESERVED},              // this network, RFC 791
    {{10}, 8, PRIVATE},              // RFC 1918
    {{100, 64}, 10, PRIVATE},        // shared by carriers, RFC 6598
    {{127}, 8, LOOPBACK},            // RFC 1122
    {{169, 254}, 16, LINK},          // RFC 3927
    {{172, 16}, 12, PRIVATE},        // RFC 1918
    {{192, 0, 0}, 24, RESERVED},     // protocol assignments, RFC 6890
    {{192, 0, 2}, 24, RESERVED},     // documentation, RFC 5737
    {{192, 88, 99}, 24, RESERVED},   // relays of 6to4, RFC 7526
    {{192, 168}, 16, PRIVATE},       // RFC 1918
    {{198, 18}, 15, RESERVED},       // benchmarks, RFC 2544
    {{198, 51, 100}, 24, RESERVED},  // documentation, RFC 5737
    {{203, 0, 113}, 24, RESERVED},   // documentation, RFC 5737
    {{224}, 3, RESERVED},            // multicast, RFC 5771; beyond it never assigned, RFC 1112; broadcast
    {{0}, 0, GLOBAL},
};

static const range ranges6[] = {
    {{[15] = 1}, 128, LOOPBACK},                                // RFC 4291
    {{[10] = 0xFF, 0xFF}, 96, RESERVED, 12},                    // mapped, RFC 4291
    {{0x00, 0x64, 0xFF, 0x9B}, 96, RESERVED, 12},               // NAT64, RFC 6052
    {{0x20, 0x02}, 16, RESERVED, 2},                            // 6to4, RFC 3056
    {{0x20, 0x01, 0x0D, 0xB8}, 32, RESERVED},                   // documentation, RFC 3849
    {{0x20, 0x01, 0x00}, 23, RESERVED},                         // Teredo, benchmarks, ORCHID: RFC 2928
    {{0x3F, 0xFF, 0x00}, 20, RESERVED},                         // documentation, RFC 9637
    {{0x20}, 3, GLOBAL},                                        // RFC 4291
    {{0xFC}, 7, PRIVATE},                                       // RFC 4193
    {{0xFE, 0x80}, 10, LINK},                                   // RFC 4291
    {{0}, 0, RESERVED},                                         // unspecified, multicast, not assigned
};

static bool contains(const range *range, const unsigned char *address) {
    size_t whole = (size_t)range->bits / 8;
    int remaining_bits = range->bits % 8;
    for (size_t i = 0; i < whole; i++) {
        if (range->prefix[i] != address[i]) return false;
    }
    return remaining_bits == 0 || (range->prefix[whole] ^ address[whole]) >> (8 - remaining_bits) == 0;
}

cjose_fetch_address cjose_fetch_address_kind(const void *address, size_t n) {
    if (n != 4 && n != 16) return RESERVED;
    const range *at = n == 4 ? ranges4 : ranges6;
    while (!contains(at, address)) at++;
    if (at->embedded == 0) return at->kind;
    return cjose_fetch_address_kind((const unsigned char *)address + at->embedded, 4);
}

bool fetch_address_allowed(const cjose_fetch *fetch, const void *address, size_t n, bool is_http) {
    cjose_fetch_address kind = cjose_fetch_address_kind(address, n);
    // Without TLS only loopback is allowed, and only where the scheme was accepted before.
    if (is_http) return kind == LOOPBACK;
    // The proxy that the operator configured is connected to at any address.
    if (fetch->texts[cjose_fetch_text_proxy] != NULL) return true;
    switch (kind) {
        case GLOBAL: return true;
        case LOOPBACK: return fetch->numbers[cjose_fetch_number_loopback] == 1;
        case PRIVATE: return fetch->numbers[cjose_fetch_number_private] == 1;
        case LINK: return fetch->numbers[cjose_fetch_number_link_local] == 1;
        case RESERVED: return false;
    }
    return false;
}

bool fetch_text_address_allowed(const cjose_fetch *fetch, const char *address, bool is_http) {
    unsigned char bytes[16];
    if (inet_pton(AF_INET, address, bytes) == 1) return fetch_address_allowed(fetch, bytes, 4, is_http);
    if (inet_pton(AF_INET6, address, bytes) == 1) return fetch_address_allowed(fetch, bytes, 16, is_http);
    return false;
}
#endif
