#ifdef CJOSE_SERVER
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum MHD_Result send_reply(
    cjose_serve *server, struct MHD_Connection *connection, cjose_serve_record *record, cjose_serve_reply *reply) {
    if (!reply->response) {
        reply->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
        reply->response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
        if (!reply->response) return MHD_NO;
    }
    if (server->is_draining) MHD_add_response_header(reply->response, MHD_HTTP_HEADER_CONNECTION, "close");
    cjose_serve_watch_enter(&server->watch, record, cjose_serve_phase_reply);
    const enum MHD_Result queued = MHD_queue_response(connection, reply->status, reply->response);
    MHD_destroy_response(reply->response);
    reply->response = NULL;
    return queued;
}

enum MHD_Result cjose_serve_answer(
    void *context, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **seen) {
    cjose_serve *server = context;
    cjose_serve_request *request = *seen;
    if (!request) return MHD_NO;
    request->method = method;
    request->path = path;
    // The headers come first, then the body, all of which is read: the connection is kept for the next request.
    if (!request->has_headers) {
        request->has_headers = 1;
        if (!cjose_serve_request_is_framed(request, version)) {
            // What follows may be a part of this request or another one, so that nothing more is read.
            if (cjose_serve_reply_body(&request->reply, MHD_HTTP_BAD_REQUEST, NULL, 0))
                (void)!cjose_serve_reply_field(&request->reply, MHD_HTTP_HEADER_CONNECTION, "close");
            return send_reply(server, connection, request->record, &request->reply);
        }
        request->is_head_too_large = server->limits.head > 0 && cjose_serve_request_head(request) > server->limits.head;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        const int added = cjose_serve_request_add(request, upload, *upload_size, server->limits.body);
        *upload_size = 0;
        return added ? MHD_YES : MHD_NO;
    }
    if (request->is_suspended) {
        request->is_suspended = 0;
    } else if (request->is_head_too_large) {
        (void)!cjose_serve_reply_body(&request->reply, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE, NULL, 0);
    } else if (request->is_too_large) {
        (void)!cjose_serve_reply_body(&request->reply, MHD_HTTP_CONTENT_TOO_LARGE, NULL, 0);
    } else {
        cjose_serve_watch_enter(&server->watch, request->record, cjose_serve_phase_none);
        server->handler(server->context, request, &request->reply);
        if (request->is_suspended) return MHD_YES;
    }
    return send_reply(server, connection, request->record, &request->reply);
}

void cjose_serve_be_quiet(void *context, const char *format, va_list arguments) {
    (void)context;
    (void)format;
    (void)arguments;
}

/// Closes the slow connections of a server with threads of its own.
static void *watch_connections(void *context) {
    cjose_serve *server = context;
    struct pollfd end = {.fd = server->end[0], .events = POLLIN, .revents = 0};
    while (1) {
        const int64_t now = cjose_serve_now();
        int64_t next = cjose_serve_watch_expire(&server->watch, now);
        // No limit of a connection that arrives meanwhile ends before this.
        const int64_t latest = now + server->watch.limits[cjose_serve_phase_first];
        if (next > latest) next = latest;
        if (poll(&end, 1, (int)(next - now) + 1) > 0) return NULL;
    }
}

static int begin_watching(cjose_serve *server) {
    if (pipe(server->end) < 0) return 0;
    for (size_t i = 0; i < 2; i++) (void)fcntl(server->end[i], F_SETFD, FD_CLOEXEC);
    const int why = pthread_create(&server->watcher, NULL, &watch_connections, server);
    if (why == 0) return 1;
    close(server->end[0]);
    close(server->end[1]);
    errno = why;
    return 0;
}

static void end_watching(cjose_serve *server) {
    close(server->end[1]);
    pthread_join(server->watcher, NULL);
    close(server->end[0]);
}

/// Frees a server whose daemon has ended or never began. `errno` stays.
static cjose_serve *give_up(cjose_serve *server) {
    const int why = errno;
    if (server->daemon) MHD_stop_daemon(server->daemon);
    cjose_serve_watch_end(&server->watch);
    free(server);
    errno = why;
    return NULL;
}

int cjose_serve_begin(cjose_serve *server, unsigned flags, int socket, const struct MHD_OptionItem *tls) {
    const cjose_serve_limits *limits = &server->limits;
    const struct MHD_OptionItem memory[] = {
        {limits->head ? MHD_OPTION_CONNECTION_MEMORY_LIMIT : MHD_OPTION_END, (intptr_t)(limits->head + limits->reply), NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    errno = 0;
    server->daemon = MHD_start_daemon(
        flags | MHD_USE_ERROR_LOG, 0, NULL, NULL, &cjose_serve_answer, server, MHD_OPTION_EXTERNAL_LOGGER, &cjose_serve_be_quiet, NULL,
        MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT, limits->connections, MHD_OPTION_CONNECTION_TIMEOUT,
        limits->idle_seconds, MHD_OPTION_ARRAY, memory, MHD_OPTION_URI_LOG_CALLBACK, &cjose_serve_request_begin, server,
        MHD_OPTION_NOTIFY_COMPLETED, &cjose_serve_request_end, server, MHD_OPTION_NOTIFY_CONNECTION, &cjose_serve_connected, server,
        MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
    return server->daemon != NULL;
}

cjose_serve *cjose_serve_start(const cjose_serve_options *options, cjose_serve_handler handler, void *context) {
    cjose_serve *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->handler = handler;
    server->context = context;
    server->limits = options->limits;
    if (!cjose_serve_watch_begin(&server->watch, &server->limits, options->certificate != NULL)) {
        free(server);
        return NULL;
    }
    // libmicrohttpd 1.0 loses the reason why it cannot listen.
    server->port = options->port;
    const int socket = cjose_serve_listen_loopback("127.0.0.1", &server->port);
    if (socket < 0) return give_up(server);
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)options->certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)options->key},
        {MHD_OPTION_HTTPS_MEM_TRUST, 0, (void *)options->client_authorities},
        {MHD_OPTION_END, 0, NULL},
    };
    if (!options->client_authorities) tls[2].option = MHD_OPTION_END;
    if (!options->certificate) tls[0].option = MHD_OPTION_END;
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD;
    if (options->is_threaded) flags |= MHD_USE_THREAD_PER_CONNECTION;
    if (options->certificate) flags |= MHD_USE_TLS;
    if (!cjose_serve_begin(server, flags, socket, tls)) {
        const int why = errno;
        close(socket);
        errno = why;
        return give_up(server);
    }
    if (!begin_watching(server)) return give_up(server);
    return server;
}

uint16_t cjose_serve_port(const cjose_serve *server) { return server->port; }

void cjose_serve_stop(cjose_serve *server) {
    MHD_stop_daemon(server->daemon);
    end_watching(server);
    cjose_serve_watch_end(&server->watch);
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
