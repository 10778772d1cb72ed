#ifdef CJOSE_HTTP
#include "libcurl.h"

#include <dlfcn.h>
#include <pthread.h>

#include "CJOSEFetch.h"

libcurl_functions libcurl;

static bool is_loaded;
#ifdef __linux__
// The name has the version of the interface, which libcurl has kept since 2006.
static void load(void) {
    // It is never closed: it has threads and handlers of its own.
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
#define CJOSE_LIBCURL_FIND(name) \
    if ((libcurl.name = (__typeof__(libcurl.name))dlsym(library, "curl_" #name)) == NULL) return;
    CJOSE_LIBCURL_FUNCTIONS(CJOSE_LIBCURL_FIND)
#undef CJOSE_LIBCURL_FIND
    is_loaded = true;
}
#else
static void load(void) {
#define CJOSE_LIBCURL_TAKE(name) libcurl.name = curl_##name;
    CJOSE_LIBCURL_FUNCTIONS(CJOSE_LIBCURL_TAKE)
#undef CJOSE_LIBCURL_TAKE
    is_loaded = true;
}
#endif

bool cjose_fetch_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    return pthread_once(&once, load) == 0 && is_loaded;
}

const char *cjose_fetch_version(void) {
    return cjose_fetch_load() ? libcurl.version_info(CURLVERSION_NOW)->version : NULL;
}
#endif
