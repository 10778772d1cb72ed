#ifdef CJOSE_SERVER
#define _GNU_SOURCE
#include "loop.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef CJOSE_SERVE_EPOLL
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

// libmicrohttpd's own wait does not end when another thread resumes a connection. So a wait is here, for its
// descriptors and one of ours.

void cjose_serve_loop_wake(cjose_serve_loop *loop) {
    if (atomic_exchange(&loop->is_woken, 1)) return;
    const uint64_t one = 1;
    // A descriptor that takes no more has been written to.
    (void)!write(loop->wake_in, &one, sizeof one);
}

/// Takes back what another thread has written. What it did before is found by the turn that follows, and what it does
/// from now on writes.
static void take_wake(cjose_serve_loop *loop) {
    uint64_t bytes[8];
    while (read(loop->wake_out, bytes, sizeof bytes) == (ssize_t)sizeof bytes) {}
    atomic_store(&loop->is_woken, 0);
}

#ifdef CJOSE_SERVE_EPOLL
enum { source_daemon = 1, source_wake, source_listening };

static int watch(cjose_serve_loop *loop, int fd, uint32_t source, uint32_t events) {
    struct epoll_event event = {.events = events, .data = {.u32 = source}};
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

int cjose_serve_waiting_prepare(cjose_serve_loop *loop) {
    loop->due_at = loop->look_at = INT64_MAX;
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->wake_in = loop->wake_out = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return loop->epoll >= 0 && loop->wake_out >= 0 && watch(loop, loop->wake_out, source_wake, EPOLLIN);
}

int cjose_serve_waiting_begin(cjose_serve_loop *loop) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(loop->server.daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (!info) return errno = ENOTSUP, 0;
    return watch(loop, info->epoll_fd, source_daemon, EPOLLIN);
}

/// While all connections are taken libmicrohttpd does not listen, and a client that waits for one is to end the wait
/// here.
static void watch_listening(cjose_serve_loop *loop) {
    const int is_wanted = !loop->server.is_draining && loop->others_since == 0 && cjose_serve_loop_connections(loop) >= loop->server.limits.connections;
    if (is_wanted == loop->is_listening_watched) return;
    if (is_wanted) {
        loop->is_listening_watched = watch(loop, loop->socket, source_listening, EPOLLIN);
    } else {
        (void)epoll_ctl(loop->epoll, EPOLL_CTL_DEL, loop->socket, NULL);
        loop->is_listening_watched = 0;
    }
}

void cjose_serve_loop_wait(cjose_serve_loop *loop, int milliseconds) {
    watch_listening(loop);
    struct epoll_event events[3];
    const int64_t left = cjose_serve_loop_left(loop, milliseconds);
    // libmicrohttpd looks at its descriptors in the turn.
    if (left == 0) return;
    const int count = epoll_wait(loop->epoll, events, 3, (int)left);
    for (int i = 0; i < count; i++) {
        if (events[i].data.u32 == source_wake) take_wake(loop);
    }
}

void cjose_serve_waiting_run(cjose_serve_loop *loop) { (void)MHD_run_wait(loop->server.daemon, 0); }

void cjose_serve_waiting_end(cjose_serve_loop *loop) {
    if (loop->epoll >= 0) close(loop->epoll);
    if (loop->wake_out >= 0) close(loop->wake_out);
}
#else
int cjose_serve_waiting_prepare(cjose_serve_loop *loop) {
    loop->due_at = loop->look_at = INT64_MAX;
    int ends[2] = {-1, -1};
    const int is_made = pipe(ends) == 0;
    loop->wake_out = ends[0];
    loop->wake_in = ends[1];
    for (int i = 0; is_made && i < 2; i++) {
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    return is_made;
}

int cjose_serve_waiting_begin(cjose_serve_loop *loop) {
    (void)loop;
    return 1;
}

void cjose_serve_loop_wait(cjose_serve_loop *loop, int milliseconds) {
    FD_ZERO(&loop->readable);
    FD_ZERO(&loop->writable);
    FD_ZERO(&loop->failing);
    MHD_socket highest = -1;
    const int64_t left = cjose_serve_loop_left(loop, milliseconds);
    if (MHD_get_fdset2(loop->server.daemon, &loop->readable, &loop->writable, &loop->failing, &highest, FD_SETSIZE) != MHD_YES)
        return;
    FD_SET(loop->wake_out, &loop->readable);
    if (loop->wake_out > highest) highest = loop->wake_out;
    // libmicrohttpd would accept a client without room for it, and close its connection. It is not to see that one
    // waits.
    const int is_full = cjose_serve_loop_connections(loop) >= loop->server.limits.connections;
    const int is_listening_watched = is_full && !loop->server.is_draining && loop->others_since == 0;
    if (is_full) FD_CLR(loop->socket, &loop->readable);
    if (is_listening_watched) FD_SET(loop->socket, &loop->readable);
    if (is_listening_watched && loop->socket > highest) highest = loop->socket;
    struct timeval time = {.tv_sec = (time_t)(left / 1000), .tv_usec = (suseconds_t)(left % 1000 * 1000)};
    if (select(highest + 1, &loop->readable, &loop->writable, &loop->failing, &time) < 0) {
        FD_ZERO(&loop->readable);
        FD_ZERO(&loop->writable);
        FD_ZERO(&loop->failing);
    }
    if (FD_ISSET(loop->wake_out, &loop->readable)) take_wake(loop);
    FD_CLR(loop->wake_out, &loop->readable);
    if (is_full) FD_CLR(loop->socket, &loop->readable);
}

void cjose_serve_waiting_run(cjose_serve_loop *loop) {
    (void)MHD_run_from_select(loop->server.daemon, &loop->readable, &loop->writable, &loop->failing);
}

void cjose_serve_waiting_end(cjose_serve_loop *loop) {
    if (loop->wake_out >= 0) close(loop->wake_out);
    if (loop->wake_in >= 0) close(loop->wake_in);
}
#endif
#endif
