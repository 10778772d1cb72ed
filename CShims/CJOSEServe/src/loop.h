#ifndef CJOSE_SERVE_LOOP_H
#define CJOSE_SERVE_LOOP_H
#include "internal.h"

#include <stdatomic.h>

#if defined(__linux__) && !defined(CJOSE_SERVE_SELECT)
#define CJOSE_SERVE_EPOLL 1
#else
#include <sys/select.h>
#endif

struct cjose_serve_loop {
    cjose_serve server;
    int socket;
    int drained_socket;
    /// The thread of the loop, known from its first turn on.
    pthread_t thread;
    _Atomic int is_running;
    /// Whether the next turn has something to do, so that there is no wait before it.
    int turns_again;
    /// The time at which the next connection is too slow.
    int64_t due_at;
    /// The time since which a client has waited for a connection, while all are taken; 0 if none does.
    int64_t others_since;
    /// The time at which to look again whether it waits.
    int64_t look_at;
    /// The descriptors by which another thread ends a wait: one for both with eventfd, otherwise a pipe.
    int wake_out, wake_in;
    /// Whether they have been written to since the last wait.
    _Atomic int is_woken;
#ifdef CJOSE_SERVE_EPOLL
    /// The descriptors that a wait ends with: that of libmicrohttpd, which is itself one of epoll, `wake_out` and, while all connections
    /// are taken, the listening socket.
    int epoll;
    int is_listening_watched;
#else
    fd_set readable, writable, failing;
#endif
};

/// The number of milliseconds for which the next wait may last.
int64_t cjose_serve_loop_left(const cjose_serve_loop *loop, int milliseconds);
/// Makes the descriptors of the wait. Returns 1 for success.
int cjose_serve_waiting_prepare(cjose_serve_loop *loop);
/// Adds those of libmicrohttpd. Returns 1 for success.
int cjose_serve_waiting_begin(cjose_serve_loop *loop);
/// Lets libmicrohttpd handle what the wait has found.
void cjose_serve_waiting_run(cjose_serve_loop *loop);
void cjose_serve_waiting_end(cjose_serve_loop *loop);
#endif
