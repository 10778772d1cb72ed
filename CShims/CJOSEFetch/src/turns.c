#ifdef CJOSE_HTTP
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "exchange.h"

struct fetch_origin {
    fetch_origin *next;
    char *scheme, *host, *port;
    int64_t requests;
    int64_t under_way;
};

static void origin_free(fetch_origin *origin) {
    if (origin == NULL) return;
    cjose_curl.free(origin->scheme);
    cjose_curl.free(origin->host);
    cjose_curl.free(origin->port);
    free(origin);
}

static fetch_origin *origin_new(CURLU *parsed_url) {
    fetch_origin *origin = calloc(1, sizeof *origin);
    if (origin == NULL) return NULL;
    if (cjose_curl.url_get(parsed_url, CURLUPART_SCHEME, &origin->scheme, 0) == CURLUE_OK &&
        cjose_curl.url_get(parsed_url, CURLUPART_HOST, &origin->host, 0) == CURLUE_OK &&
        cjose_curl.url_get(parsed_url, CURLUPART_PORT, &origin->port, CURLU_DEFAULT_PORT) == CURLUE_OK)
        return origin;
    origin_free(origin);
    return NULL;
}

static bool is_same(const fetch_origin *a, const fetch_origin *b) {
    return strcasecmp(a->scheme, b->scheme) == 0 && strcasecmp(a->host, b->host) == 0 && strcmp(a->port, b->port) == 0;
}

bool fetch_turn_ask(cjose_fetch *fetch, cjose_fetch_request *request) {
    fetch_origin *made = origin_new(request->parsed_url);
    if (made == NULL) return false;
    fetch_origin *known = fetch->origins;
    while (known != NULL && !is_same(known, made)) known = known->next;
    if (known != NULL) {
        origin_free(made);
    } else {
        known = made;
        known->next = fetch->origins;
        fetch->origins = known;
    }
    known->requests++;
    request->origin = known;
    return true;
}

bool fetch_turn_take(cjose_fetch *fetch, cjose_fetch_request *request) {
    if (request->under_way || request->origin->under_way >= fetch->numbers[cjose_fetch_number_host_connections])
        return false;
    request->under_way = true;
    request->origin->under_way++;
    return true;
}

void fetch_turn_end(cjose_fetch *fetch, cjose_fetch_request *request) {
    fetch_origin *origin = request->origin;
    if (origin == NULL) return;
    request->origin = NULL;
    if (request->under_way) origin->under_way--;
    if (--origin->requests > 0) return;
    fetch_origin **at = &fetch->origins;
    while (*at != origin) at = &(*at)->next;
    *at = origin->next;
    origin_free(origin);
}
#endif
