#if defined(CJOSE_ACCELERATED)
#include "limbs.h"
#include "rsa.h"

void cjose_kernel_limbs_read(const uint8_t *bytes, size_t n, uint64_t *limbs, size_t count) {
    limbs_read(bytes, n, limbs, count);
}

void cjose_kernel_limbs_write(const uint64_t *limbs, size_t count, uint8_t *bytes, size_t n) {
    limbs_write(limbs, count, bytes, n);
}
#endif
