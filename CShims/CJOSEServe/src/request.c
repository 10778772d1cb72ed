#ifdef CJOSE_SERVER
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void *cjose_serve_request_begin(void *context, const char *target, struct MHD_Connection *connection) {
    (void)context;
    cjose_serve_request *request = calloc(1, sizeof *request);
    if (!request) return NULL;
    request->connection = connection;
    request->target = strdup(target);
    if (!request->target) {
        free(request);
        return NULL;
    }
    return request;
}

void cjose_serve_request_end(
    void *context, struct MHD_Connection *connection, void **seen, enum MHD_RequestTerminationCode why) {
    (void)context;
    (void)connection;
    (void)why;
    cjose_serve_request *request = *seen;
    *seen = NULL;
    if (!request) return;
    if (request->reply.response) MHD_destroy_response(request->reply.response);
    free(request->target);
    free(request->body);
    free(request);
}

int cjose_serve_request_add(cjose_serve_request *request, const char *bytes, size_t n, size_t limit) {
    if (limit == 0 || request->is_too_large) return 1;
    if (n > limit - request->body_len) {
        request->is_too_large = 1;
        return 1;
    }
    unsigned char *longer = realloc(request->body, request->body_len + n);
    if (!longer) return 0;
    memcpy(longer + request->body_len, bytes, n);
    request->body = longer;
    request->body_len += n;
    return 1;
}

const char *cjose_serve_request_method(const cjose_serve_request *request) { return request->method; }
const char *cjose_serve_request_path(const cjose_serve_request *request) { return request->path; }
const char *cjose_serve_request_target(const cjose_serve_request *request) { return request->target; }

const char *cjose_serve_request_field(const cjose_serve_request *request, const char *name) {
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

struct count {
    const char *name;
    size_t n;
};

static enum MHD_Result count_field(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    (void)kind;
    (void)value;
    struct count *count = context;
    if (strcasecmp(name, count->name) == 0) count->n++;
    return MHD_YES;
}

size_t cjose_serve_request_field_count(const cjose_serve_request *request, const char *name) {
    struct count count = {name, 0};
    MHD_get_connection_values(request->connection, MHD_HEADER_KIND, &count_field, &count);
    return count.n;
}

struct only {
    const char *name, *value;
    size_t name_n, n, count;
};

static enum MHD_Result find_field(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_n, const char *value, size_t n) {
    (void)kind;
    struct only *only = context;
    if (name_n != only->name_n || strncasecmp(name, only->name, name_n) != 0) return MHD_YES;
    if (only->count++ == 0) {
        only->value = value ? value : "";
        only->n = value ? n : 0;
    }
    return MHD_YES;
}

const char *cjose_serve_request_only_field(
    const cjose_serve_request *request, const char *name, size_t *n, size_t *count) {
    struct only only = {name, NULL, strlen(name), 0, 0};
    MHD_get_connection_values_n(request->connection, MHD_HEADER_KIND, &find_field, &only);
    *n = only.n;
    *count = only.count;
    return only.value;
}

size_t cjose_serve_request_head(const cjose_serve_request *request) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    const int records = MHD_get_connection_values(
        request->connection, MHD_HEADER_KIND | MHD_COOKIE_KIND | MHD_GET_ARGUMENT_KIND, NULL, NULL);
    const char *cookie = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_COOKIE);
    return (info ? info->header_size : 0) + 64 * (size_t)(records > 0 ? records : 0) + (cookie ? strlen(cookie) : 0);
}

const void *cjose_serve_request_body(const cjose_serve_request *request, size_t *n) {
    *n = request->body_len;
    return request->body;
}
#endif
