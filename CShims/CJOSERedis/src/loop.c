#ifdef CJOSE_REDIS
// This declares the function for a thread's name.
#define _GNU_SOURCE
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

/// Removes the next waiting command from the queue, or with `is_due` the next whose deadline has passed; null where
/// there is none.
static redis_command *take(cjose_redis *pool, bool is_due, int64_t now) {
    pthread_mutex_lock(&pool->lock);
    redis_command *command = pool->waiting;
    if (command != NULL && is_due && command->deadline > now) command = NULL;
    if (command != NULL) {
        pool->waiting = command->next;
        if (pool->waiting == NULL) pool->waiting_end = &pool->waiting;
        pool->waiting_count--;
        command->next = NULL;
    }
    pthread_mutex_unlock(&pool->lock);
    return command;
}

static int64_t size(const cjose_redis *pool) { return pool->numbers[cjose_redis_number_connections]; }

/// Opens one more connection, where there is work for it and the time has come.
static void open_one(cjose_redis *pool, int64_t outstanding, int64_t now) {
    if (outstanding == 0 || now < pool->retry_at) return;
    redis_connection *down = NULL;
    int64_t open = 0, ready = 0;
    for (int64_t i = 0; i < size(pool); i++) {
        redis_connection *connection = &pool->connections[i];
        if (connection->state == redis_state_down) {
            if (down == NULL) down = connection;
        } else {
            open++;
            if (connection->state == redis_state_ready) ready++;
        }
    }
    if (down != NULL && open == ready && outstanding > open * REDIS_SHARE) redis_connection_open(down);
}

/// Returns the connection with the fewest commands; null where none takes more.
static redis_connection *idlest(const cjose_redis *pool) {
    redis_connection *best = NULL;
    for (int64_t i = 0; i < size(pool); i++) {
        redis_connection *connection = &pool->connections[i];
        if (connection->state != redis_state_ready || connection->commands >= REDIS_DEPTH) continue;
        if (best == NULL || connection->commands < best->commands) best = connection;
    }
    return best;
}

static void dispatch(cjose_redis *pool) {
    redis_connection *connection;
    redis_command *command;
    while ((connection = idlest(pool)) != NULL && (command = take(pool, false, 0)) != NULL) {
        redis_connection_add(connection, command);
    }
    for (int64_t i = 0; i < size(pool); i++) {
        connection = &pool->connections[i];
        if (connection->state != redis_state_ready) continue;
        if (!redis_connection_await_replicas(connection)) {
            redis_connection_drop(connection, cjose_redis_status_backend);
        } else if (connection->unsent != NULL) {
            redis_connection_step(connection);
        }
    }
}

static void expire(cjose_redis *pool, int64_t now) {
    redis_command *command;
    while ((command = take(pool, true, now)) != NULL) redis_fail(pool, command, cjose_redis_status_deadline);
    for (int64_t i = 0; i < size(pool); i++) {
        redis_connection *connection = &pool->connections[i];
        if (redis_connection_deadline(connection) <= now) redis_connection_expire(connection);
    }
}

static int64_t soonest(cjose_redis *pool) {
    pthread_mutex_lock(&pool->lock);
    int64_t time = pool->waiting == NULL ? INT64_MAX : pool->waiting->deadline;
    bool waits = pool->waiting != NULL;
    pthread_mutex_unlock(&pool->lock);
    bool is_up = false;
    for (int64_t i = 0; i < size(pool); i++) {
        int64_t next = redis_connection_deadline(&pool->connections[i]);
        if (next < time) time = next;
        is_up = is_up || pool->connections[i].state != redis_state_down;
    }
    return waits && !is_up && pool->retry_at < time ? pool->retry_at : time;
}

static void wait(cjose_redis *pool, struct pollfd *polled) {
    int64_t count = size(pool);
    polled[count] = (struct pollfd){.fd = pool->wake[0], .events = POLLIN};
    for (int64_t i = 0; i < count; i++) {
        short events = redis_connection_events(&pool->connections[i]);
        polled[i] = (struct pollfd){.fd = events == 0 ? -1 : pool->connections[i].fd, .events = events};
    }
    int64_t until = soonest(pool);
    int64_t left = until == INT64_MAX ? -1 : until - redis_clock_ms();
    if (until != INT64_MAX && left < 0) left = 0;
    if (poll(polled, (nfds_t)count + 1, left > INT_MAX ? INT_MAX : (int)left) < 0) return;
    if (polled[count].revents != 0) {
        char bytes[64];
        while (read(pool->wake[0], bytes, sizeof bytes) > 0) {}
        // This comes after the read: a caller that finds `woken` set is in the queue, which is read before the next
        // wait.
        pthread_mutex_lock(&pool->lock);
        pool->woken = false;
        pthread_mutex_unlock(&pool->lock);
        // The connection waited for a lookup that has ended.
        for (int64_t i = 0; i < count; i++) {
            if (pool->connections[i].state == redis_state_lookup) redis_connection_step(&pool->connections[i]);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        if (polled[i].fd >= 0 && polled[i].revents != 0) redis_connection_step(&pool->connections[i]);
    }
}

static void end(cjose_redis *pool) {
    for (int64_t i = 0; i < size(pool); i++) {
        if (pool->connections[i].state == redis_state_down) continue;
        redis_connection_drop(&pool->connections[i], cjose_redis_status_closed);
    }
    redis_command *command;
    while ((command = take(pool, false, 0)) != NULL) redis_fail(pool, command, cjose_redis_status_closed);
    // The last reference may be that of a lookup that continues while the process ends.
    SSL_CTX_free(pool->tls);
    pool->tls = NULL;
    pthread_mutex_lock(&pool->lock);
    pool->ended = true;
    pthread_cond_broadcast(&pool->ended_signal);
    pthread_mutex_unlock(&pool->lock);
    cjose_threaded_release(&pool->threaded);
}

void *redis_run(void *context) {
    cjose_redis *pool = context;
#ifdef __APPLE__
    pthread_setname_np("bulla-redis");
#else
    pthread_setname_np(pthread_self(), "bulla-redis");
#endif
    for (int64_t i = 0; i < size(pool); i++) {
        redis_connection *connection = &pool->connections[i];
        connection->pool = pool;
        connection->fd = -1;
        connection->last = &connection->first;
        connection->written_end = &connection->written;
    }
    struct pollfd *polled = calloc((size_t)size(pool) + 1, sizeof *polled);
    while (polled != NULL) {
        int64_t now = redis_clock_ms();
        expire(pool, now);
        // This is read after commands have expired: a connection that nothing waits for would clear the fault.
        pthread_mutex_lock(&pool->lock);
        bool stopping = pool->stopping;
        int64_t outstanding = pool->health.outstanding;
        pthread_mutex_unlock(&pool->lock);
        if (stopping) break;
        open_one(pool, outstanding, now);
        dispatch(pool);
        wait(pool, polled);
    }
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_mutex_unlock(&pool->lock);
    free(polled);
    end(pool);
    return NULL;
}
#endif
