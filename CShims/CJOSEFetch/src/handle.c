#ifdef CJOSE_HTTP
#include <signal.h>

#include "internal.h"

bool cjose_fetch_start(cjose_fetch *fetch) {
    if (!fetch_renew(fetch)) return false;
    // No signal handler of the process runs on the thread, and writing to a closed connection does not end the process.
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    pthread_mutex_lock(&fetch->lock);
    fetch->waiting_end = &fetch->waiting;
    fetch->active_end = &fetch->active;
    cjose_threaded_retain(&fetch->threaded);
    fetch->started = pthread_create(&fetch->thread, NULL, fetch_run, fetch) == 0;
    if (!fetch->started) cjose_threaded_release(&fetch->threaded);
    bool started = fetch->started;
    pthread_mutex_unlock(&fetch->lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

cjose_fetch_status cjose_fetch_send(
    cjose_fetch *fetch, cjose_fetch_request *request, cjose_fetch_done done, void *context, uint64_t *id) {
    cjose_fetch_status status = fetch_url_parse(fetch, request->url, &request->parsed_url, &request->is_http);
    request->fetch = fetch;
    request->done = done;
    request->context = context;
    request->deadline = fetch_clock_ms() + request->deadline_ms;
    request->next = NULL;
    if (status == cjose_fetch_status_ok) {
        pthread_mutex_lock(&fetch->lock);
        if (fetch->started && !fetch->stopping) {
            *id = request->id = ++fetch->last_id;
            *fetch->waiting_end = request;
            fetch->waiting_end = &request->next;
            cjose_curl.multi_wakeup(fetch->multi);
        } else {
            status = cjose_fetch_status_closed;
        }
        pthread_mutex_unlock(&fetch->lock);
    }
    if (status != cjose_fetch_status_ok) cjose_fetch_request_free(request);
    return status;
}

static bool mark(cjose_fetch_request *request, uint64_t id) {
    while (request != NULL && request->id != id) request = request->next;
    if (request != NULL) request->cancelled = true;
    return request != NULL;
}

void cjose_fetch_cancel(cjose_fetch *fetch, uint64_t id) {
    pthread_mutex_lock(&fetch->lock);
    if ((mark(fetch->active, id) || mark(fetch->waiting, id)) && fetch->multi != NULL) cjose_curl.multi_wakeup(fetch->multi);
    pthread_mutex_unlock(&fetch->lock);
}

void cjose_fetch_stop(cjose_fetch *fetch) {
    pthread_mutex_lock(&fetch->lock);
    bool started = fetch->started;
    bool is_own = started && pthread_equal(pthread_self(), fetch->thread) != 0;
    bool is_first = !fetch->joining;
    fetch->stopping = true;
    fetch->joining = true;
    if (fetch->multi != NULL) cjose_curl.multi_wakeup(fetch->multi);
    if (started && is_own && is_first) pthread_detach(fetch->thread);
    while (started && !is_own && !is_first && !fetch->ended) pthread_cond_wait(&fetch->ended_signal, &fetch->lock);
    pthread_mutex_unlock(&fetch->lock);
    if (started && !is_own && is_first) pthread_join(fetch->thread, NULL);
}

void cjose_fetch_free(cjose_fetch *fetch) {
    if (fetch == NULL) return;
    cjose_fetch_stop(fetch);
    cjose_threaded_release(&fetch->threaded);
}
#endif
