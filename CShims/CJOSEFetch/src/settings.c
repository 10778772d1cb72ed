#ifdef CJOSE_HTTP
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static CURLcode library = CURLE_FAILED_INIT;
static void begin_library(void) {
    if (!cjose_fetch_load()) return;
    library = cjose_curl.global_init(CURL_GLOBAL_DEFAULT);
    if (!cjose_threaded_begin()) library = CURLE_FAILED_INIT;
}

static void stop_threaded(cjose_threaded *object) { cjose_fetch_stop((cjose_fetch *)object); }
static void free_threaded(cjose_threaded *object);

cjose_fetch *cjose_fetch_new(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (pthread_once(&once, begin_library) != 0 || library != CURLE_OK) return NULL;
    cjose_fetch *fetch = calloc(1, sizeof *fetch);
    if (fetch == NULL) return NULL;
    if (pthread_mutex_init(&fetch->lock, NULL) != 0) {
        free(fetch);
        return NULL;
    }
    if (pthread_cond_init(&fetch->ended_signal, NULL) != 0) {
        pthread_mutex_destroy(&fetch->lock);
        free(fetch);
        return NULL;
    }
    if (!cjose_threaded_init(&fetch->threaded, stop_threaded, free_threaded)) {
        free_threaded(&fetch->threaded);
        return NULL;
    }
    return fetch;
}

static void wipe_text(char *text) {
    if (text != NULL) cjose_wipe(text, strlen(text));
    free(text);
}

bool cjose_fetch_set_text(cjose_fetch *fetch, cjose_fetch_text which, const char *text) {
    char *copy = strdup(text);
    if (copy == NULL) return false;
    wipe_text(fetch->texts[which]);
    fetch->texts[which] = copy;
    return true;
}

void cjose_fetch_set_number(cjose_fetch *fetch, cjose_fetch_number which, int64_t number) {
    fetch->numbers[which] = number;
}

bool cjose_fetch_add(cjose_fetch *fetch, cjose_fetch_list which, const char *text) {
    struct curl_slist *longer = cjose_curl.slist_append(fetch->lists[which], text);
    if (longer == NULL) return false;
    fetch->lists[which] = longer;
    return true;
}

static void free_threaded(cjose_threaded *object) {
    cjose_fetch *fetch = (cjose_fetch *)object;
    // The client was never started.
    cjose_curl.multi_cleanup(fetch->multi);
    for (size_t i = 0; i < cjose_fetch_text_count; i++) wipe_text(fetch->texts[i]);
    for (size_t i = 0; i < cjose_fetch_bytes_count; i++) fetch_content_release(fetch->contents[i]);
    fetch_traffic_end(fetch);
    for (size_t i = 0; i < cjose_fetch_list_count; i++) cjose_curl.slist_free_all(fetch->lists[i]);
    pthread_cond_destroy(&fetch->ended_signal);
    pthread_mutex_destroy(&fetch->lock);
    free(fetch);
}
#endif
