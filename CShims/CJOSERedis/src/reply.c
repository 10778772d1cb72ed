#ifdef CJOSE_REDIS
#include <hiredis/sds.h>
#include <stdlib.h>
#include <string.h>

#include "CJOSEBytes.h"
#include "internal.h"

/// The largest size of a text about the server, which is about a kilobyte.
#define INFO_LIMIT 65536

/// Returns the largest size of a reply.
static size_t reply_limit(const redis_connection *connection) {
    const int64_t *numbers = connection->pool->numbers;
    bool reads_info = connection->state == redis_state_greeting && numbers[cjose_redis_number_durable] > 0;
    size_t limit = (size_t)numbers[cjose_redis_number_reply];
    return reads_info && limit < INFO_LIMIT ? INFO_LIMIT : limit;
}

static void *take_string(const redisReadTask *task, char *bytes, size_t n) {
    redis_connection *connection = task->privdata;
    redis_reply *reply = &connection->reply;
    if (n > reply_limit(connection)) return NULL;
    reply->bytes = malloc(n + 1);
    if (reply->bytes == NULL) return NULL;
    memcpy(reply->bytes, bytes, n);
    reply->bytes[n] = 0;
    reply->count = n;
    reply->type = task->type;
    return reply;
}

/// Rejects replies of this kind: no command here has one, and their length is an unverified number of the server.
#if HIREDIS_MAJOR >= 1
static void *refuse_array(const redisReadTask *task, size_t n) {
#else
static void *refuse_array(const redisReadTask *task, int n) {
#endif
    (void)task, (void)n;
    return NULL;
}

static void *take_integer(const redisReadTask *task, long long number) {
    redis_connection *connection = task->privdata;
    connection->reply.number = number;
    connection->reply.type = REDIS_REPLY_INTEGER;
    return &connection->reply;
}

static void *take_nil(const redisReadTask *task) {
    redis_connection *connection = task->privdata;
    connection->reply.type = REDIS_REPLY_NIL;
    return &connection->reply;
}

static void free_nothing(void *reply) { (void)reply; }

static redisReplyObjectFunctions functions = {
    .createString = take_string,
    .createArray = refuse_array,
    .createInteger = take_integer,
    .createNil = take_nil,
    .freeObject = free_nothing,
};

static void reply_clear(redis_reply *reply) {
    if (reply->bytes != NULL) cjose_wipe(reply->bytes, reply->count);
    free(reply->bytes);
    *reply = (redis_reply){0};
}

bool redis_reader_open(redis_connection *connection) {
    connection->reader = redisReaderCreateWithFunctions(&functions);
    if (connection->reader == NULL) return false;
    connection->reader->privdata = connection;
    return true;
}

void redis_reader_close(redis_connection *connection) {
    redisReader *reader = connection->reader;
    if (reader != NULL) {
        // The buffer may contain values, also behind those that were not read yet.
        if (reader->buf != NULL) cjose_wipe(reader->buf, sdsalloc(reader->buf));
        redisReaderFree(reader);
    }
    connection->reader = NULL;
    reply_clear(&connection->reply);
}

static bool begins(const redis_reply *reply, const char *word) {
    size_t n = strlen(word);
    return reply->count >= n && memcmp(reply->bytes, word, n) == 0;
}

/// Whether an error is of this kind: its text begins with the word. Before Redis 7 the error of a command in a script
/// has its text behind the position in the script.
static bool is_error(const redis_reply *reply, const char *word) {
    if (begins(reply, word)) return true;
    if (!begins(reply, "ERR Error running script")) return false;
    return strstr(reply->bytes, strncmp(word, "ERR ", 4) == 0 ? word + 4 : word) != NULL;
}

/// The meaning of a server error, by its first word.
typedef struct redis_error {
    const char *word;
    cjose_redis_status status;
    /// Whether the connection is closed, because another server may reply at the address by now, or another connection
    /// may succeed.
    bool ends_connection;
} redis_error;

static const redis_error *error_of(const redis_reply *reply) {
    static const redis_error table[] = {
        // A primary that a failover made a replica.
        {"READONLY ", cjose_redis_status_read_only, true},
        {"UNBLOCKED ", cjose_redis_status_read_only, true},
        {"ERR WAIT cannot be used with replica", cjose_redis_status_read_only, true},
        {"MASTERDOWN ", cjose_redis_status_busy, true},
        {"LOADING ", cjose_redis_status_busy, true},
        {"CLUSTERDOWN ", cjose_redis_status_busy, true},
        {"ERR max number of clients", cjose_redis_status_busy, true},
        // A primary without its replicas (`min-replicas-to-write`), perhaps because they have another primary now.
        {"NOREPLICAS ", cjose_redis_status_replicas, true},
        // The error is temporary, on the same server.
        {"BUSY ", cjose_redis_status_busy, false},
        {"TRYAGAIN ", cjose_redis_status_busy, false},
        {"OOM ", cjose_redis_status_memory, false},
        {"MISCONF ", cjose_redis_status_disk, false},
        // The script cache is empty after a restart.
        {"NOSCRIPT ", cjose_redis_status_no_script, false},
        // A password was set after the connection was made: a new one sends it.
        {"NOAUTH ", cjose_redis_status_credentials, true},
        {"WRONGPASS ", cjose_redis_status_credentials, false},
        {"NOPERM ", cjose_redis_status_credentials, false},
        {"ERR invalid password", cjose_redis_status_credentials, false},
        {"ERR AUTH ", cjose_redis_status_credentials, false},
        // A script's user lacks a permission: Redis 7.0, and 7.2 or later.
        {"ERR The user executing the script ", cjose_redis_status_credentials, false},
        {"ERR ACL failure in script", cjose_redis_status_credentials, false},
        // A node of a cluster (`MOVED`, `ASK`), an unknown command: an operator must act.
        {"", cjose_redis_status_command, false},
    };
    const redis_error *error = table;
    while (error->word[0] != 0 && !is_error(reply, error->word)) error++;
    return error;
}

/// Whether the reply fits a command of this kind.
static bool answers(redis_kind kind, const redis_reply *reply) {
    switch (kind) {
    case redis_kind_greeting: return reply->type == REDIS_REPLY_STATUS;
    case redis_kind_ping: return reply->type == REDIS_REPLY_STATUS && begins(reply, "PONG");
    case redis_kind_insert: return reply->type == REDIS_REPLY_NIL || (reply->type == REDIS_REPLY_STATUS && begins(reply, "OK"));
    case redis_kind_take:
    case redis_kind_read: return reply->type == REDIS_REPLY_NIL || reply->type == REDIS_REPLY_STRING;
    case redis_kind_memory:
    case redis_kind_persistence: return reply->type == REDIS_REPLY_STRING;
    case redis_kind_script: return reply->type == REDIS_REPLY_INTEGER || reply->type == REDIS_REPLY_STRING;
    case redis_kind_wait: return reply->type == REDIS_REPLY_INTEGER;
    }
    return false;
}

/// Whether a text about the server has this line.
static bool has_line(const redis_reply *reply, const char *line) {
    size_t n = strlen(line);
    const char *at = reply->bytes, *end = at + reply->count;
    while ((size_t)(end - at) >= n) {
        if (memcmp(at, line, n) == 0 && (at + n == end || at[n] == '\r' || at[n] == '\n')) return true;
        at = memchr(at, '\n', (size_t)(end - at));
        if (at == NULL) return false;
        at++;
    }
    return false;
}

/// Returns why the server of this text does not keep what it confirms; `ok` where it does.
static cjose_redis_status judge(redis_kind kind, const redis_reply *reply) {
    if (kind == redis_kind_memory && !has_line(reply, "maxmemory_policy:noeviction")) return cjose_redis_status_evicting;
    // While Redis reads its append-only file, it reports that it writes none.
    if (kind == redis_kind_persistence && has_line(reply, "loading:1")) return cjose_redis_status_busy;
    if (kind == redis_kind_persistence && !has_line(reply, "aof_enabled:1")) return cjose_redis_status_not_persistent;
    return cjose_redis_status_ok;
}

static void note_success(redis_connection *connection) {
    connection->pool->failures = 0;
    redis_address_succeeded(connection);
}

void redis_confirm(redis_connection *connection, bool is_confirmed) {
    redis_command *command = connection->written;
    connection->written = NULL;
    connection->written_end = &connection->written;
    if (command != NULL && is_confirmed) note_success(connection);
    while (command != NULL) {
        redis_command *next = command->next;
        cjose_redis_answer answer = {
            .status = is_confirmed ? cjose_redis_status_ok : cjose_redis_status_unreplicated,
            .found = is_confirmed,
            .bytes = is_confirmed ? command->value : NULL,
            .count = is_confirmed ? command->value_count : 0,
        };
        redis_finish(connection->pool, command, &answer);
        command = next;
    }
}

static void finish_ping(redis_connection *connection, redis_command *command) {
    cjose_redis *pool = connection->pool;
    connection->state = redis_state_ready;
    pool->retry_at = 0;
    pthread_mutex_lock(&pool->lock);
    pool->health.connections++;
    pool->health.connects++;
    // A server that accepts no writes replies to a ping as well.
    if (!redis_is_of_writes(pool->health.fault)) pool->health.fault = cjose_redis_status_ok;
    pthread_mutex_unlock(&pool->lock);
    redis_command_free(command);
}

static void finish_wait(redis_connection *connection, redis_command *command, const redis_error *error) {
    cjose_redis *pool = connection->pool;
    bool is_confirmed = error == NULL && connection->reply.number >= pool->numbers[cjose_redis_number_replicas];
    if (!is_confirmed && (error != NULL || connection->written != NULL)) {
        redis_note_fault(pool, error == NULL ? cjose_redis_status_unreplicated : error->status);
    }
    connection->awaits_replicas = false;
    redis_confirm(connection, is_confirmed);
    redis_command_free(command);
}

/// Keeps a write until replicas have confirmed it, with the value that it took.
static void keep_written(redis_connection *connection, redis_command *command) {
    command->next = NULL;
    command->value = connection->reply.bytes;
    command->value_count = connection->reply.count;
    connection->reply.bytes = NULL;
    connection->reply.count = 0;
    *connection->written_end = command;
    connection->written_end = &command->next;
}

static void finish_value(redis_connection *connection, redis_command *command, const redis_error *error) {
    cjose_redis *pool = connection->pool;
    const redis_reply *reply = &connection->reply;
    cjose_redis_answer answer = {.status = cjose_redis_status_ok};
    if (error != NULL) {
        // The caller sends the script, which is no fault.
        if (error->status != cjose_redis_status_no_script) redis_note_fault(pool, error->status);
        answer.status = error->status;
    } else {
        bool is_script = command->kind == redis_kind_script;
        bool is_number = reply->type == REDIS_REPLY_INTEGER;
        answer.found = is_script ? is_number && reply->number == 0 : reply->type != REDIS_REPLY_NIL;
        answer.number = is_number ? reply->number : -1;
        // Without a write there is nothing that a failover could lose.
        bool is_read = command->kind == redis_kind_read || (is_script && !answer.found);
        if (answer.found && !is_read && pool->numbers[cjose_redis_number_replicas] > 0) {
            keep_written(connection, command);
            return;
        }
        answer.bytes = reply->bytes;
        answer.count = reply->count;
        // A replica replies to reads as well.
        if (!is_read) note_success(connection);
    }
    redis_finish(pool, command, &answer);
}

static cjose_redis_status answer(redis_connection *connection) {
    redis_reply *reply = &connection->reply;
    redis_command *command = connection->first;
    const redis_error *error = reply->type == REDIS_REPLY_ERROR ? error_of(reply) : NULL;
    // This is a reply without a command, or before its command was sent.
    if (command == NULL || command->sent < command->count) {
        // A server that has no connection left reports it and closes.
        bool is_farewell = connection->state == redis_state_greeting && error != NULL;
        return is_farewell ? error->status : cjose_redis_status_reply;
    }
    if (error == NULL && !answers(command->kind, reply)) return cjose_redis_status_reply;
    if (error != NULL && connection->state == redis_state_greeting) return error->status;
    if (error == NULL) {
        cjose_redis_status judged = judge(command->kind, reply);
        if (judged != cjose_redis_status_ok) return judged;
    }
    connection->first = command->next;
    if (connection->first == NULL) connection->last = &connection->first;
    connection->commands--;
    switch (command->kind) {
    case redis_kind_greeting:
    case redis_kind_memory:
    case redis_kind_persistence: redis_command_free(command); break;
    case redis_kind_ping: finish_ping(connection, command); break;
    case redis_kind_wait: finish_wait(connection, command, error); break;
    case redis_kind_insert:
    case redis_kind_take:
    case redis_kind_script:
    case redis_kind_read: finish_value(connection, command, error); break;
    }
    return error != NULL && error->ends_connection ? error->status : cjose_redis_status_ok;
}

cjose_redis_status redis_reader_feed(redis_connection *connection, const char *bytes, size_t n) {
    redisReader *reader = connection->reader;
    if (redisReaderFeed(reader, bytes, n) != REDIS_OK) return cjose_redis_status_backend;
    while (true) {
        void *whole = NULL;
        connection->reply.type = 0;
        if (redisReaderGetReply(reader, &whole) != REDIS_OK) return cjose_redis_status_reply;
        if (whole == NULL) break;
        cjose_redis_status status = answer(connection);
        reply_clear(&connection->reply);
        if (status != cjose_redis_status_ok) return status;
    }
    // The reader waits for a complete reply, whatever length it announces.
    size_t unread = reader->len - reader->pos;
    return unread > reply_limit(connection) + 64 ? cjose_redis_status_reply : cjose_redis_status_ok;
}
#endif
