#include <sodium.h>

#include "CJOSESodium.h"

bool cjose_sodium_ready(void) { return sodium_init() >= 0; }

void *cjose_guarded_new(size_t n) { return cjose_sodium_ready() ? sodium_malloc(n) : NULL; }
void cjose_guarded_seal(void *p) { sodium_mprotect_readonly(p); }
void cjose_guarded_free(void *p) { sodium_free(p); }

const char *cjose_sodium_version(void) { return sodium_version_string(); }
