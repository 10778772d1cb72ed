#ifdef CJOSE_HTTP
// This declares the function for a thread's name.
#define _GNU_SOURCE
#include <limits.h>

#include "exchange.h"

/// Returns the next request that must end though libcurl has not ended it, and its status; null where there is none. `*soonest`
/// is when the next one must.
static cjose_fetch_request *overdue(cjose_fetch *fetch, cjose_fetch_status *status, int64_t *soonest) {
    int64_t now = fetch_clock_ms();
    *soonest = INT64_MAX;
    pthread_mutex_lock(&fetch->lock);
    cjose_fetch_request *request = fetch->active;
    for (; request != NULL; request = request->next) {
        if (fetch->stopping) {
            *status = cjose_fetch_status_closed;
            break;
        }
        if (request->cancelled) {
            *status = cjose_fetch_status_cancelled;
            break;
        }
        if (now >= request->deadline) {
            *status = cjose_fetch_status_deadline;
            break;
        }
        if (request->deadline < *soonest) *soonest = request->deadline;
    }
    pthread_mutex_unlock(&fetch->lock);
    return request;
}

/// Moves the next submitted request to the active ones, and returns it; null where there is none.
static cjose_fetch_request *take(cjose_fetch *fetch) {
    pthread_mutex_lock(&fetch->lock);
    cjose_fetch_request *request = fetch->waiting;
    if (request != NULL) {
        fetch->waiting = request->next;
        if (fetch->waiting == NULL) fetch->waiting_end = &fetch->waiting;
        request->next = NULL;
        *fetch->active_end = request;
        fetch->active_end = &request->next;
    }
    pthread_mutex_unlock(&fetch->lock);
    return request;
}

/// Starts the requests that may begin, the oldest first.
static void begin(cjose_fetch *fetch) {
    while (true) {
        pthread_mutex_lock(&fetch->lock);
        cjose_fetch_request *request = fetch->active;
        while (request != NULL && !fetch_turn_take(fetch, request)) request = request->next;
        pthread_mutex_unlock(&fetch->lock);
        if (request == NULL) return;
        fetch_begin(fetch, request, false);
    }
}

static bool is_stopping(cjose_fetch *fetch) {
    pthread_mutex_lock(&fetch->lock);
    bool stopping = fetch->stopping;
    pthread_mutex_unlock(&fetch->lock);
    return stopping;
}

bool fetch_renew(cjose_fetch *fetch) {
    CURLM *made = cjose_curl.multi_init();
    long kept = (long)fetch->numbers[cjose_fetch_number_connections];
    if (made != NULL && cjose_curl.multi_setopt(made, CURLMOPT_MAXCONNECTS, kept) != CURLM_OK) {
        cjose_curl.multi_cleanup(made);
        made = NULL;
    }
    if (made == NULL) return false;
    pthread_mutex_lock(&fetch->lock);
    CURLM *old = fetch->multi;
    fetch->multi = made;
    pthread_mutex_unlock(&fetch->lock);
    cjose_curl.multi_cleanup(old);
    return true;
}

/// Waits for an event or a deadline. After a long time without requests, kept connections are closed.
static void wait(cjose_fetch *fetch, int64_t soonest, bool *keeps) {
    int64_t idle_ms = 1000 * fetch->numbers[cjose_fetch_number_idle_seconds];
    bool is_idle = soonest == INT64_MAX;
    if (is_idle && !*keeps) idle_ms = INT_MAX;
    int64_t left = is_idle ? idle_ms : soonest - fetch_clock_ms();
    left = left < 0 ? 0 : left > INT_MAX ? INT_MAX : left;
    int64_t since = fetch_clock_ms();
    cjose_curl.multi_poll(fetch->multi, NULL, 0, (int)left, NULL);
    if (!is_idle) {
        *keeps = true;
    } else if (*keeps && fetch_clock_ms() - since >= idle_ms && fetch_renew(fetch)) {
        *keeps = false;
    }
}

void *fetch_run(void *context) {
    cjose_fetch *fetch = context;
    // Threads of the resolver inherit it.
#ifdef __APPLE__
    pthread_setname_np("bulla-fetch");
#else
    pthread_setname_np(pthread_self(), "bulla-fetch");
#endif
    // This waits until the function that started the thread knows it.
    bool stopping = is_stopping(fetch);
    bool keeps = false;
    while (true) {
        cjose_fetch_status status = cjose_fetch_status_ok;
        cjose_fetch_request *request;
        int64_t soonest;
        while ((request = take(fetch)) != NULL) {
            if (!fetch_turn_ask(fetch, request)) fetch_finish(fetch, request, cjose_fetch_status_backend);
        }
        while ((request = overdue(fetch, &status, &soonest)) != NULL) fetch_finish(fetch, request, status);
        if (stopping) break;
        begin(fetch);
        int running = 0;
        bool failed = cjose_curl.multi_perform(fetch->multi, &running) != CURLM_OK;
        CURLMsg *message;
        while ((message = cjose_curl.multi_info_read(fetch->multi, &running)) != NULL) {
            if (message->msg == CURLMSG_DONE) fetch_complete(fetch, message->easy_handle, message->data.result);
        }
        fetch_traffic_check(fetch);
        while (failed && (request = fetch->active) != NULL) fetch_finish(fetch, request, cjose_fetch_status_backend);
        // A request that ended may have been the last one.
        while ((request = overdue(fetch, &status, &soonest)) != NULL) fetch_finish(fetch, request, status);
        // Each request that ended makes room for another; those that begin here end the wait at once.
        begin(fetch);
        wait(fetch, soonest, &keeps);
        stopping = is_stopping(fetch);
    }
    pthread_mutex_lock(&fetch->lock);
    CURLM *multi = fetch->multi;
    fetch->multi = NULL;
    pthread_mutex_unlock(&fetch->lock);
    cjose_curl.multi_cleanup(multi);
    pthread_mutex_lock(&fetch->lock);
    fetch->ended = true;
    pthread_cond_broadcast(&fetch->ended_signal);
    pthread_mutex_unlock(&fetch->lock);
    cjose_threaded_release(&fetch->threaded);
    return NULL;
}
#endif
