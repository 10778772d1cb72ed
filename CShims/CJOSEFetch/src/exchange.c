#ifdef CJOSE_HTTP
#include "exchange.h"

#include <stdlib.h>
#include <string.h>

static void unlink_active(cjose_fetch *fetch, cjose_fetch_request *request) {
    pthread_mutex_lock(&fetch->lock);
    cjose_fetch_request **at = &fetch->active;
    while (*at != NULL && *at != request) at = &(*at)->next;
    if (*at == request) {
        *at = request->next;
        if (*at == NULL) fetch->active_end = at;
    }
    pthread_mutex_unlock(&fetch->lock);
}

/// Delivers the response and frees the request. No lock is held: the callback may call back.
void fetch_finish(cjose_fetch *fetch, cjose_fetch_request *request, cjose_fetch_status status) {
    unlink_active(fetch, request);
    fetch_turn_end(fetch, request);
    cjose_fetch_answer answer = {.status = status};
    long code = 0;
    if (status == cjose_fetch_status_ok) {
        cjose_curl.easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &code);
        answer.code = (int32_t)code;
        answer.headers = request->answer_headers.bytes;
        answer.headers_len = request->answer_headers.count;
        answer.body = request->answer_body.bytes;
        answer.body_len = request->answer_body.count;
    }
    if (request->easy != NULL) cjose_curl.multi_remove_handle(fetch->multi, request->easy);
    request->done(request->context, &answer);
    cjose_fetch_request_free(request);
}

void fetch_begin(cjose_fetch *fetch, cjose_fetch_request *request, bool fresh) {
    if (request->easy == NULL) request->easy = cjose_curl.easy_init();
    // The handle no longer refers to the contents of an attempt before this one.
    if (request->easy != NULL) cjose_curl.easy_reset(request->easy);
    cjose_fetch_status status = fetch_files_take(request);
    if (status != cjose_fetch_status_ok) {
        fetch_finish(fetch, request, status);
        return;
    }
    if (request->easy == NULL || !fetch_configure(request, fresh) ||
        cjose_curl.multi_add_handle(fetch->multi, request->easy) != CURLM_OK)
        fetch_finish(fetch, request, cjose_fetch_status_backend);
}

/// Whether a kept connection was closed by the server. libcurl sends again itself where it detects that; this handles
/// other cases, once, for a GET, where nothing of a response came.
static bool is_stale(cjose_fetch_request *request, CURLcode code) {
    static const CURLcode codes[] = {
        CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM};
    bool matches = false;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) matches = matches || code == codes[i];
    long connects = 1;
    cjose_curl.easy_getinfo(request->easy, CURLINFO_NUM_CONNECTS, &connects);
    return matches && !request->traffic_over && !request->is_post && !request->retried && connects == 0 && request->header_bytes == 0;
}

/// Returns the target of a redirection (RFC 9110, 15.4); null for a response to deliver.
static const char *redirection(cjose_fetch_request *request) {
    static const long codes[] = {301, 302, 303, 307, 308};
    long code = 0;
    const char *url = NULL;
    cjose_curl.easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &code);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (code == codes[i]) cjose_curl.easy_getinfo(request->easy, CURLINFO_REDIRECT_URL, &url);
    }
    return url;
}

static cjose_fetch_status follow(cjose_fetch *fetch, cjose_fetch_request *request, const char *url) {
    if (request->is_post || request->redirects < 1) return cjose_fetch_status_redirect;
    request->redirects--;
    CURLU *target = NULL;
    bool is_http = false;
    // A fragment is for the client, and does not affect the target.
    char *end = strchr(url, '#');
    char *plain = end == NULL ? strdup(url) : strndup(url, (size_t)(end - url));
    if (plain == NULL) return cjose_fetch_status_backend;
    bool good = fetch_url_parse(fetch, plain, &target, &is_http) == cjose_fetch_status_ok;
    free(plain);
    if (!good) return cjose_fetch_status_redirect;
    if (!fetch_url_same_origin(target, request->parsed_url)) {
        cjose_curl.url_cleanup(target);
        return cjose_fetch_status_redirect;
    }
    // The old one is in use until the handle is set up anew.
    CURLU *old = request->parsed_url;
    cjose_curl.multi_remove_handle(fetch->multi, request->easy);
    cjose_curl.easy_reset(request->easy);
    request->parsed_url = target;
    cjose_curl.url_cleanup(old);
    return cjose_fetch_status_ok;
}

void fetch_complete(cjose_fetch *fetch, CURL *easy, CURLcode code) {
    char *of_handle = NULL;
    cjose_curl.easy_getinfo(easy, CURLINFO_PRIVATE, &of_handle);
    cjose_fetch_request *request = (cjose_fetch_request *)(void *)of_handle;
    if (is_stale(request, code)) {
        request->retried = true;
        cjose_curl.multi_remove_handle(fetch->multi, easy);
        fetch_begin(fetch, request, true);
        return;
    }
    cjose_fetch_status status = fetch_outcome(request, code);
    const char *url = status == cjose_fetch_status_ok ? redirection(request) : NULL;
    if (url == NULL) {
        fetch_finish(fetch, request, status);
        return;
    }
    status = follow(fetch, request, url);
    if (status == cjose_fetch_status_ok) {
        fetch_begin(fetch, request, false);
    } else {
        fetch_finish(fetch, request, status);
    }
}
#endif
