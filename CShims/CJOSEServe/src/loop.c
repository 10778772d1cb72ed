#ifdef CJOSE_SERVER
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

struct cjose_serve_loop {
    cjose_serve server;
    int drained_socket;
};

cjose_serve_loop *cjose_serve_loop_create(
    const cjose_serve_loop_options *options, cjose_serve_handler handler, void *context) {
    cjose_serve_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->drained_socket = -1;
    loop->server.handler = handler;
    loop->server.context = context;
    loop->server.body_limit = options->body_limit;
    loop->server.head_limit = options->head_limit;
    // The daemon closes its socket at the end.
    const int socket = dup(options->socket);
    if (socket < 0) {
        free(loop);
        return NULL;
    }
    unsigned flags = MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME;
#ifdef __linux__
    flags |= MHD_USE_EPOLL;
#endif
    errno = 0;
    loop->server.daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, &cjose_serve_answer, &loop->server, MHD_OPTION_EXTERNAL_LOGGER, &cjose_serve_be_quiet, NULL,
        MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT, options->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, options->timeout, MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->head_limit + options->reply_limit,
        MHD_OPTION_URI_LOG_CALLBACK, &cjose_serve_request_begin, NULL, MHD_OPTION_NOTIFY_COMPLETED,
        &cjose_serve_request_end, NULL, MHD_OPTION_END);
    if (!loop->server.daemon) {
        const int why = errno;
        close(socket);
        free(loop);
        errno = why;
        return NULL;
    }
    return loop;
}

void cjose_serve_loop_turn(cjose_serve_loop *loop, int milliseconds) {
    (void)MHD_run_wait(loop->server.daemon, milliseconds);
}

void cjose_serve_loop_drain(cjose_serve_loop *loop) {
    if (loop->server.is_draining) return;
    loop->server.is_draining = 1;
    loop->drained_socket = MHD_quiesce_daemon(loop->server.daemon);
}

unsigned cjose_serve_loop_connections(const cjose_serve_loop *loop) {
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(loop->server.daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info ? info->num_connections : 0;
}

void cjose_serve_loop_free(cjose_serve_loop *loop) {
    MHD_stop_daemon(loop->server.daemon);
    if (loop->drained_socket >= 0) close(loop->drained_socket);
    free(loop);
}

void cjose_serve_request_suspend(cjose_serve_request *request) {
    request->is_suspended = 1;
    MHD_suspend_connection(request->connection);
}

cjose_serve_reply *cjose_serve_request_reply(cjose_serve_request *request) { return &request->reply; }

void cjose_serve_request_resume(cjose_serve_request *request) { MHD_resume_connection(request->connection); }

int cjose_serve_reply_fields(cjose_serve_reply *reply, size_t count, const char *names, const char *values) {
    if (!reply->response) return 0;
    for (size_t i = 0; i < count; i++) {
        // MHD has no empty fields.
        if (MHD_add_response_header(reply->response, names, *values ? values : " ") != MHD_YES) return 0;
        names += strlen(names) + 1;
        values += strlen(values) + 1;
    }
    return 1;
}

void cjose_serve_reply_drop(cjose_serve_reply *reply) {
    if (reply->response) MHD_destroy_response(reply->response);
    reply->response = NULL;
}

void cjose_serve_lower_priority(void) {
#ifdef __linux__
    (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 10);
#endif
}
#endif
