#ifdef CJOSE_HTTP
#include <stdlib.h>
#include <string.h>

#include "internal.h"

cjose_fetch_request *cjose_fetch_request_new(const char *url, bool is_post) {
    cjose_fetch_request *request = calloc(1, sizeof *request);
    if (request == NULL) return NULL;
    request->is_post = is_post;
    request->url = strdup(url);
    if (request->url == NULL) {
        free(request);
        return NULL;
    }
    return request;
}

bool cjose_fetch_request_add_header(cjose_fetch_request *request, const char *line) {
    struct curl_slist *longer = cjose_curl.slist_append(request->headers, line);
    if (longer == NULL) return false;
    request->headers = longer;
    return true;
}

bool cjose_fetch_request_set_body(cjose_fetch_request *request, const void *body, size_t n) {
    return fetch_buffer_append(&request->body, body, n, n);
}

void cjose_fetch_request_set_bounds(
    cjose_fetch_request *request, int64_t deadline_ms, int64_t connect_ms, size_t body_limit, int32_t redirects) {
    request->deadline_ms = deadline_ms;
    request->connect_ms = connect_ms;
    request->body_limit = body_limit;
    request->redirects = redirects;
}

void cjose_fetch_request_free(cjose_fetch_request *request) {
    if (request == NULL) return;
    cjose_curl.easy_cleanup(request->easy);
    fetch_files_release(request);
    cjose_curl.url_cleanup(request->parsed_url);
    cjose_curl.slist_free_all(request->headers);
    fetch_buffer_free(&request->body);
    fetch_buffer_free(&request->answer_headers);
    fetch_buffer_free(&request->answer_body);
    free(request->url);
    free(request);
}
#endif
