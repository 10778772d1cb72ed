#ifdef CJOSE_HTTP
#include "libcurl.h"

#include <dlfcn.h>
#include <pthread.h>

#include "CJOSEFetch.h"

cjose_curl_functions cjose_curl;

#ifdef __linux__
static bool load(void) {
    // The number is the version of the interface, which libcurl has kept since 2006.
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return false;
    bool found = true;
#define CJOSE_CURL_FIND(name) \
    found = (cjose_curl.name = (__typeof__(cjose_curl.name))dlsym(library, "curl_" #name)) != NULL && found;
    CJOSE_CURL_FUNCTIONS(CJOSE_CURL_FIND)
#undef CJOSE_CURL_FIND
    // A library that is used is never closed: it has handlers of its own.
    if (!found) dlclose(library);
    return found;
}
#else
static bool load(void) {
#define CJOSE_CURL_TAKE(name) cjose_curl.name = curl_##name;
    CJOSE_CURL_FUNCTIONS(CJOSE_CURL_TAKE)
#undef CJOSE_CURL_TAKE
    return true;
}
#endif

bool cjose_fetch_load(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded = false;
    pthread_mutex_lock(&lock);
    // What failed, for example for want of descriptors, is tried again.
    if (!loaded) loaded = load();
    bool result = loaded;
    pthread_mutex_unlock(&lock);
    return result;
}

const char *cjose_fetch_version(void) {
    return cjose_fetch_load() ? cjose_curl.version_info(CURLVERSION_NOW)->version : NULL;
}
#endif
