#ifdef CJOSE_SERVER
#include "CJOSEServe.h"

#include <microhttpd.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

struct cjose_serve {
    struct MHD_Daemon *daemon;
    cjose_serve_handler handler;
    void *context;
    uint16_t port;
};

struct cjose_serve_reply {
    struct MHD_Response *response;
    unsigned status;
};

static enum MHD_Result send_text(struct MHD_Connection *connection, cjose_serve_reply *reply) {
    if (!reply->response) {
        reply->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
        reply->response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
        if (!reply->response) return MHD_NO;
    }
    const enum MHD_Result queued = MHD_queue_response(connection, reply->status, reply->response);
    MHD_destroy_response(reply->response);
    return queued;
}

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **seen) {
    (void)version;
    (void)upload;
    static int first;
    // The headers first, then what is sent along, which is read away: the connection is kept for the next request.
    if (*seen == NULL || *upload_size > 0) {
        *seen = &first;
        *upload_size = 0;
        return MHD_YES;
    }
    cjose_serve_reply reply = {NULL, 0};
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
        if (cjose_serve_reply_body(&reply, MHD_HTTP_METHOD_NOT_ALLOWED, NULL, 0) == 1) {
            (void)!cjose_serve_reply_field(&reply, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
        }
        return send_text(connection, &reply);
    }
    const cjose_serve *server = context;
    const char *tags = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
    server->handler(server->context, path, tags, &reply);
    return send_text(connection, &reply);
}

cjose_serve *cjose_serve_start(uint16_t port, cjose_serve_handler handler, void *context) {
    cjose_serve *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->handler = handler;
    server->context = context;
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    errno = 0;
    server->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL, &answer, server, MHD_OPTION_SOCK_ADDR,
        (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, 64u, MHD_OPTION_CONNECTION_TIMEOUT, 10u,
        MHD_OPTION_END);
    const union MHD_DaemonInfo *bound =
        server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!bound) {
        const int why = errno;
        if (server->daemon) MHD_stop_daemon(server->daemon);
        free(server);
        errno = why;
        return NULL;
    }
    server->port = bound->port;
    return server;
}

uint16_t cjose_serve_port(const cjose_serve *server) { return server->port; }

void cjose_serve_stop(cjose_serve *server) {
    MHD_stop_daemon(server->daemon);
    free(server);
}

int cjose_serve_reply_body(cjose_serve_reply *reply, unsigned status, const void *body, size_t n) {
    if (reply->response) return 0;
    reply->response = MHD_create_response_from_buffer(n, (void *)body, MHD_RESPMEM_MUST_COPY);
    reply->status = status;
    return reply->response != NULL;
}

int cjose_serve_reply_field(cjose_serve_reply *reply, const char *name, const char *value) {
    return reply->response && MHD_add_response_header(reply->response, name, value) == MHD_YES;
}

const char *cjose_serve_version(void) { return MHD_get_version(); }
#endif
