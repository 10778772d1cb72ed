#ifdef CJOSE_REDIS
#include <poll.h>
#include <string.h>

#include "CJOSEBytes.h"
#include "internal.h"

void redis_connection_add(redis_connection *connection, redis_command *command) {
    command->next = NULL;
    command->sent = 0;
    *connection->last = command;
    connection->last = &command->next;
    connection->commands++;
    if (connection->unsent == NULL) connection->unsent = command;
    if (redis_is_write(command->kind) && connection->unconfirmed_deadline == 0) connection->unconfirmed_deadline = command->deadline;
}

bool redis_connection_await_replicas(redis_connection *connection) {
    const int64_t *numbers = connection->pool->numbers;
    if (numbers[cjose_redis_number_replicas] == 0 || connection->unconfirmed_deadline == 0) return true;
    if (connection->awaits_replicas) return true;
    char replicas[24], ms[24];
    int replicas_len = snprintf(replicas, sizeof replicas, "%lld", (long long)numbers[cjose_redis_number_replicas]);
    int ms_len = snprintf(ms, sizeof ms, "%lld", (long long)numbers[cjose_redis_number_replicas_ms]);
    const char *words[] = {"WAIT", replicas, ms};
    size_t lengths[] = {4, (size_t)replicas_len, (size_t)ms_len};
    redis_command *wait = redis_command_new(redis_kind_wait, 3, words, lengths);
    if (wait == NULL) return false;
    wait->deadline = connection->unconfirmed_deadline;
    connection->unconfirmed_deadline = 0;
    connection->awaits_replicas = true;
    redis_connection_add(connection, wait);
    return true;
}

/// Fills the output buffer, and writes, until there is nothing left or no room.
static cjose_redis_status flush(redis_connection *connection) {
    while (true) {
        if (connection->out_sent == connection->out_count) {
            cjose_wipe(connection->out, connection->out_count);
            connection->out_sent = connection->out_count = 0;
        }
        redis_command *command;
        while ((command = connection->unsent) != NULL && connection->out_count < sizeof connection->out) {
            size_t room = sizeof connection->out - connection->out_count;
            size_t remaining = command->count - command->sent;
            size_t n = remaining < room ? remaining : room;
            memcpy(connection->out + connection->out_count, command->bytes + command->sent, n);
            connection->out_count += n;
            command->sent += n;
            if (n == remaining) connection->unsent = command->next;
        }
        if (connection->out_sent == connection->out_count) return cjose_redis_status_ok;
        cjose_redis_status status;
        ssize_t n = redis_write(
            connection, connection->out + connection->out_sent, connection->out_count - connection->out_sent, &status);
        if (n < 0) return status;
        if (n == 0) return cjose_redis_status_ok;
        connection->out_sent += (size_t)n;
    }
}

static cjose_redis_status receive(redis_connection *connection) {
    char chunk[REDIS_CHUNK];
    cjose_redis_status status = cjose_redis_status_ok;
    ssize_t n = 0;
    while (status == cjose_redis_status_ok && (n = redis_read(connection, chunk, sizeof chunk, &status)) > 0) {
        status = redis_reader_feed(connection, chunk, (size_t)n);
        cjose_wipe(chunk, (size_t)n);
    }
    return n == 0 ? cjose_redis_status_ok : status;
}

void redis_connection_step(redis_connection *connection) {
    while (connection->state < redis_state_greeting && redis_connection_advance(connection)) {}
    if (connection->state < redis_state_greeting) return;
    cjose_redis_status status = receive(connection);
    if (status == cjose_redis_status_ok) status = flush(connection);
    if (status == cjose_redis_status_ok) return;
    if (connection->state == redis_state_ready) {
        redis_connection_drop(connection, status);
    } else {
        redis_connection_give_up(connection, status);
    }
}

void redis_connection_expire(redis_connection *connection) {
    switch (connection->state) {
    case redis_state_down: break;
    // A server that leaves one command without an answer in time leaves those behind it without one as well.
    case redis_state_ready: redis_connection_drop(connection, cjose_redis_status_deadline); break;
    case redis_state_lookup: redis_connection_drop(connection, cjose_redis_status_connect_deadline); break;
    case redis_state_connecting:
    case redis_state_handshake:
    case redis_state_greeting: redis_connection_give_up(connection, cjose_redis_status_connect_deadline); break;
    }
}

short redis_connection_events(const redis_connection *connection) {
    switch (connection->state) {
    case redis_state_down:
    case redis_state_lookup: return 0;
    case redis_state_connecting: return POLLOUT;
    case redis_state_handshake: return connection->wants_write ? POLLOUT : POLLIN;
    case redis_state_greeting:
    case redis_state_ready: break;
    }
    bool writes = connection->out_sent < connection->out_count || connection->wants_write;
    return (short)(POLLIN | (writes ? POLLOUT : 0));
}

int64_t redis_connection_deadline(const redis_connection *connection) {
    if (connection->state == redis_state_down) return INT64_MAX;
    if (connection->state == redis_state_lookup) return connection->deadline;
    if (connection->state != redis_state_ready) return connection->address_deadline;
    return connection->first == NULL ? INT64_MAX : connection->first->deadline;
}
#endif
