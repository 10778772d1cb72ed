#ifdef CJOSE_REDIS
#include <time.h>
#include <unistd.h>

#include "CJOSEBytes.h"
#include "internal.h"

void redis_connection_close(redis_connection *connection) {
    SSL_free(connection->ssl);
    connection->ssl = NULL;
    connection->wants_write = false;
    if (connection->fd >= 0) close(connection->fd);
    connection->fd = -1;
    redis_reader_close(connection);
    cjose_wipe(connection->out, sizeof connection->out);
    connection->out_count = connection->out_sent = 0;
}

/// Returns the commands whose sending has not begun to the head of the queue.
static void give_back(redis_connection *connection) {
    redis_command **at = &connection->first;
    while (*at != NULL && (*at)->sent > 0) at = &(*at)->next;
    redis_command *unsent = *at;
    *at = NULL;
    connection->last = at;
    redis_command *first = NULL;
    redis_command **end = &first;
    int64_t count = 0;
    while (unsent != NULL) {
        redis_command *next = unsent->next;
        unsent->next = NULL;
        if (unsent->done == NULL) {
            redis_command_free(unsent);
        } else {
            *end = unsent;
            end = &unsent->next;
            count++;
        }
        unsent = next;
    }
    if (first == NULL) return;
    cjose_redis *pool = connection->pool;
    pthread_mutex_lock(&pool->lock);
    *end = pool->waiting;
    if (pool->waiting == NULL) pool->waiting_end = end;
    pool->waiting = first;
    pool->waiting_count += count;
    pthread_mutex_unlock(&pool->lock);
}

/// Sets the time before which no other connection is opened.
static void back_off(cjose_redis *pool) {
    int64_t max_wait = pool->numbers[cjose_redis_number_retry_max_ms];
    int64_t wait = pool->numbers[cjose_redis_number_retry_ms];
    for (int64_t i = 0; i < pool->failures && wait < max_wait; i++) wait *= 2;
    if (wait > max_wait) wait = max_wait;
    // Machines that lost the same server do not come back to it at the same time.
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    wait -= wait * (now.tv_nsec / 1000 % 256) / 1024;
    pool->failures++;
    pool->retry_at = redis_clock_ms() + wait;
}

/// Fails the commands that wait for a connection, where there is none.
static void fail_waiting(cjose_redis *pool, cjose_redis_status status) {
    pthread_mutex_lock(&pool->lock);
    bool fails = pool->health.connections == 0;
    redis_command *waiting = fails ? pool->waiting : NULL;
    if (fails) {
        pool->waiting = NULL;
        pool->waiting_end = &pool->waiting;
        pool->waiting_count = 0;
    }
    pthread_mutex_unlock(&pool->lock);
    while (waiting != NULL) {
        redis_command *next = waiting->next;
        redis_fail(pool, waiting, status);
        waiting = next;
    }
}

/// Whether the server answers, and accepts no commands for now.
static bool is_rejection(cjose_redis_status status) {
    return status == cjose_redis_status_read_only || status == cjose_redis_status_busy
        || status == cjose_redis_status_replicas || status == cjose_redis_status_credentials;
}

void redis_connection_drop(redis_connection *connection, cjose_redis_status status) {
    cjose_redis *pool = connection->pool;
    redis_state state = connection->state;
    // One that was idle is closed by any server after a while.
    bool is_fault = state != redis_state_ready || connection->first != NULL || connection->written != NULL
        || is_rejection(status);
    if (state == redis_state_ready && is_fault) redis_address_failed(connection);
    redis_connection_close(connection);
    redis_lookup_forget(connection);
    connection->addresses.count = 0;
    connection->state = redis_state_down;
    give_back(connection);
    redis_command *command = connection->first;
    connection->first = connection->unsent = NULL;
    connection->last = &connection->first;
    connection->commands = 0;
    connection->unconfirmed_deadline = 0;
    connection->awaits_replicas = false;
    pthread_mutex_lock(&pool->lock);
    if (state == redis_state_ready) pool->health.connections--;
    if (is_fault) pool->health.fault = status;
    pthread_mutex_unlock(&pool->lock);
    redis_confirm(connection, false);
    while (command != NULL) {
        redis_command *next = command->next;
        redis_fail(pool, command, status);
        command = next;
    }
    if (state == redis_state_ready) {
        // What waits was sent to nobody: it waits for the next connection, which is not opened at once.
        if (is_rejection(status)) back_off(pool);
    } else if (state != redis_state_down) {
        back_off(pool);
        fail_waiting(pool, status);
    }
}
#endif
