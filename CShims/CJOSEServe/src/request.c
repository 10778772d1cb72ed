#ifdef CJOSE_SERVER
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

void cjose_serve_connected(
    void *context, struct MHD_Connection *connection, void **record, enum MHD_ConnectionNotificationCode what) {
    cjose_serve *server = context;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        cjose_serve_watch_remove(&server->watch, *record);
        *record = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!info) return;
    *record = cjose_serve_watch_add(&server->watch, info->connect_fd);
    // A connection without a record would have no time limit.
    if (!*record) shutdown(info->connect_fd, SHUT_RDWR);
}

void *cjose_serve_request_begin(void *context, const char *target, struct MHD_Connection *connection) {
    cjose_serve_request *request = calloc(1, sizeof *request);
    if (!request) return NULL;
    request->connection = connection;
    request->server = context;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    request->record = info ? info->socket_context : NULL;
    request->target = strdup(target);
    if (!request->target) {
        free(request);
        return NULL;
    }
    return request;
}

void cjose_serve_request_end(
    void *context, struct MHD_Connection *connection, void **seen, enum MHD_RequestTerminationCode why) {
    cjose_serve *server = context;
    (void)connection;
    (void)why;
    cjose_serve_request *request = *seen;
    *seen = NULL;
    if (!request) return;
    cjose_serve_watch_enter(&server->watch, request->record, cjose_serve_phase_next);
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

void *cjose_serve_request_session(const cjose_serve_request *request) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info ? info->tls_session : NULL;
}

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

struct framing {
    size_t hosts, lengths, codings;
    int is_chunked, has_odd_name;
};

static int is_name(const char *name, size_t n, const char *expected) {
    return n == strlen(expected) && strncasecmp(name, expected, n) == 0;
}

static enum MHD_Result find_framing(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_n, const char *value, size_t n) {
    (void)kind;
    struct framing *framing = context;
    // Another program may leave out the white space, and find a field of the table below (RFC 9112, 5.1).
    if (name_n == 0 || name[name_n - 1] == ' ' || name[name_n - 1] == '\t') framing->has_odd_name = 1;
    if (is_name(name, name_n, MHD_HTTP_HEADER_HOST)) framing->hosts++;
    if (is_name(name, name_n, MHD_HTTP_HEADER_CONTENT_LENGTH)) framing->lengths++;
    if (is_name(name, name_n, MHD_HTTP_HEADER_TRANSFER_ENCODING)) {
        framing->codings++;
        framing->is_chunked = value && is_name(value, n, "chunked");
    }
    return MHD_YES;
}

int cjose_serve_request_is_framed(const cjose_serve_request *request, const char *version) {
    struct framing found = {0, 0, 0, 0, 0};
    MHD_get_connection_values_n(request->connection, MHD_HEADER_KIND, &find_framing, &found);
    const int is_old = is_name(version, strlen(version), MHD_HTTP_VERSION_1_0);
    if (found.has_odd_name || found.hosts > 1 || (found.hosts == 0 && !is_old)) return 0;
    if (found.codings == 0) return found.lengths <= 1;
    return found.codings == 1 && found.lengths == 0 && found.is_chunked && !is_old;
}

const void *cjose_serve_request_body(const cjose_serve_request *request, size_t *n) {
    *n = request->body_len;
    return request->body;
}
#endif
