#ifdef CJOSE_SERVER
#define _GNU_SOURCE
#include "loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

/// The milliseconds for which a client waits before it displaces another connection: time for a loop that has room to
/// accept it.
enum { displacement_delay = 5 };
/// The milliseconds for which a connection is kept while it waits for a request.
enum { min_wait = 50 };

static cjose_serve_loop *give_up(cjose_serve_loop *loop) {
    const int why = errno;
    if (loop->server.daemon) {
        // The daemon closes its socket.
        MHD_stop_daemon(loop->server.daemon);
    } else if (loop->socket >= 0) {
        close(loop->socket);
    }
    cjose_serve_waiting_end(loop);
    cjose_serve_watch_end(&loop->server.watch);
    free(loop);
    errno = why;
    return NULL;
}

cjose_serve_loop *cjose_serve_loop_create(
    int socket, const cjose_serve_limits *limits, cjose_serve_handler handler, void *context) {
    cjose_serve_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    if (!cjose_serve_watch_begin(&loop->server.watch, limits, 0)) {
        free(loop);
        return NULL;
    }
    loop->drained_socket = -1;
    loop->server.loop = loop;
    loop->server.handler = handler;
    loop->server.context = context;
    loop->server.limits = *limits;
    loop->socket = cjose_serve_waiting_prepare(loop) ? dup(socket) : -1;
    if (loop->socket < 0) return give_up(loop);
    unsigned flags = MHD_ALLOW_SUSPEND_RESUME;
#ifdef CJOSE_SERVE_EPOLL
    flags |= MHD_USE_EPOLL;
#endif
    const struct MHD_OptionItem none = {MHD_OPTION_END, 0, NULL};
    if (!cjose_serve_begin(&loop->server, flags, loop->socket, &none) || !cjose_serve_waiting_begin(loop)) return give_up(loop);
    return loop;
}

/// Closes a connection that waits for a request, if all are taken and another client waits.
static void displace(cjose_serve_loop *loop, int64_t now) {
    loop->look_at = INT64_MAX;
    struct pollfd listening = {.fd = loop->socket, .events = POLLIN, .revents = 0};
    if (loop->server.is_draining || cjose_serve_loop_connections(loop) < loop->server.limits.connections || poll(&listening, 1, 0) <= 0) {
        loop->others_since = 0;
        return;
    }
    if (loop->others_since == 0) loop->others_since = now;
    if (now < loop->others_since + displacement_delay) {
        loop->look_at = loop->others_since + displacement_delay;
        return;
    }
    const int64_t at = cjose_serve_watch_displace(&loop->server.watch, now, min_wait);
    if (at == 0) {
        loop->others_since = 0;
    } else {
        // Without a connection to close there may be one soon: a response ends.
        loop->look_at = at < now + min_wait ? at : now + min_wait;
    }
}

void cjose_serve_loop_turn(cjose_serve_loop *loop) {
    if (!loop->is_running) {
        loop->thread = pthread_self();
        loop->is_running = 1;
    }
    loop->turns_again = 0;
    const unsigned before = cjose_serve_loop_connections(loop);
    cjose_serve_waiting_run(loop);
    // libmicrohttpd listens again, after it had its limit of connections, in the next call.
    if (cjose_serve_loop_connections(loop) < before) loop->turns_again = 1;
    const int64_t now = cjose_serve_now();
    loop->due_at = cjose_serve_watch_expire(&loop->server.watch, now);
    displace(loop, now);
}

int64_t cjose_serve_loop_left(const cjose_serve_loop *loop, int milliseconds) {
    if (loop->turns_again) return 0;
    MHD_UNSIGNED_LONG_LONG silent = 0;
    int64_t left = milliseconds;
    if (MHD_get_timeout(loop->server.daemon, &silent) == MHD_YES && silent < (unsigned)milliseconds) left = (int64_t)silent;
    const int64_t next = loop->due_at < loop->look_at ? loop->due_at : loop->look_at;
    if (next == INT64_MAX || left == 0) return left;
    const int64_t now = cjose_serve_now();
    return next <= now ? 0 : next - now < left ? next - now : left;
}

uint64_t cjose_serve_loop_slow(cjose_serve_loop *loop) {
    pthread_mutex_lock(&loop->server.watch.lock);
    const uint64_t slow = loop->server.watch.slow;
    pthread_mutex_unlock(&loop->server.watch.lock);
    return slow;
}

uint64_t cjose_serve_loop_displaced(cjose_serve_loop *loop) {
    pthread_mutex_lock(&loop->server.watch.lock);
    const uint64_t displaced = loop->server.watch.displaced;
    pthread_mutex_unlock(&loop->server.watch.lock);
    return displaced;
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
    cjose_serve_waiting_end(loop);
    cjose_serve_watch_end(&loop->server.watch);
    free(loop);
}

void cjose_serve_request_suspend(cjose_serve_request *request) {
    request->is_suspended = 1;
    MHD_suspend_connection(request->connection);
}

cjose_serve_reply *cjose_serve_request_reply(cjose_serve_request *request) { return &request->reply; }

void cjose_serve_request_resume(cjose_serve_request *request) {
    cjose_serve_loop *loop = request->server->loop;
    // The loop may free the request as soon as it is resumed.
    MHD_resume_connection(request->connection);
    if (loop->is_running && pthread_equal(loop->thread, pthread_self())) {
        loop->turns_again = 1;
    } else {
        cjose_serve_loop_wake(loop);
    }
}

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
