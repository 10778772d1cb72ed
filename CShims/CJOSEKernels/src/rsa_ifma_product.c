#if defined(CJOSE_ACCELERATED)
#include "rsa.h"

#if defined(__x86_64__)
#include "rsa_ifma.h"

IFMA void rsa_multiply(const lanes *a, const lanes *b, const rsa_modulus *modulus, lanes *out) {
    product_multiply(a, b, modulus, out);
}

IFMA void rsa_square(const lanes *a, const rsa_modulus *modulus, lanes *out) { product_square(a, modulus, out); }
#endif
#endif
