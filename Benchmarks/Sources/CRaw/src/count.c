#define _GNU_SOURCE
#include "CRaw.h"
#include <errno.h>
#include <openssl/crypto.h>
#include <stdlib.h>

// The program's own malloc stands before the C library's for every library in the process; what libcrypto takes comes
// through its hooks instead, so that the two are told apart.
#if defined(__linux__) && defined(__GLIBC__)
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static __thread craw_allocations counted;

void *malloc(size_t n) { counted.ours++; return __libc_malloc(n); }
void *calloc(size_t count, size_t n) { counted.ours++; return __libc_calloc(count, n); }
void *realloc(void *p, size_t n) { counted.ours++; return __libc_realloc(p, n); }
void *memalign(size_t alignment, size_t n) { counted.ours++; return __libc_memalign(alignment, n); }
void *aligned_alloc(size_t alignment, size_t n) { return memalign(alignment, n); }
int posix_memalign(void **out, size_t alignment, size_t n) {
    *out = memalign(alignment, n);
    return *out ? 0 : ENOMEM;
}

static void *crypto_malloc(size_t n, const char *file, int line) {
    (void)file, (void)line;
    if (!n) return NULL;
    counted.libcrypto++;
    return __libc_malloc(n);
}
static void *crypto_realloc(void *p, size_t n, const char *file, int line) {
    (void)file, (void)line;
    counted.libcrypto++;
    return __libc_realloc(p, n);
}
static void crypto_free(void *p, const char *file, int line) { (void)file, (void)line; __libc_free(p); }

bool craw_count_start(void) { return CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free); }
craw_allocations craw_count(void) { return counted; }
bool craw_counts(void) { return true; }
#else
bool craw_count_start(void) { return true; }
craw_allocations craw_count(void) { return (craw_allocations){0, 0}; }
bool craw_counts(void) { return false; }
#endif
