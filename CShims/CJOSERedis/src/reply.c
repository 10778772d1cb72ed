#ifdef CJOSE_REDIS
#include <stdlib.h>
#include <string.h>

#include "CJOSEBytes.h"
#include "internal.h"

static void *take_string(const redisReadTask *task, char *bytes, size_t n) {
    redis_connection *connection = task->privdata;
    redis_reply *reply = &connection->reply;
    if (n > (size_t)connection->pool->numbers[cjose_redis_number_reply]) return NULL;
    reply->bytes = malloc(n + 1);
    if (reply->bytes == NULL) return NULL;
    memcpy(reply->bytes, bytes, n);
    reply->bytes[n] = 0;
    reply->count = n;
    reply->type = task->type;
    return reply;
}

/// None of our commands is answered with one, and its length is the server's word alone.
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
    (void)number;
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
        // Values that came.
        if (reader->buf != NULL) cjose_wipe(reader->buf, reader->len);
        redisReaderFree(reader);
    }
    connection->reader = NULL;
    reply_clear(&connection->reply);
}

static bool begins(const redis_reply *reply, const char *word) {
    size_t n = strlen(word);
    return reply->count >= n && memcmp(reply->bytes, word, n) == 0;
}

/// What an error of the server's comes to, by the word that it begins with.
static cjose_redis_status error_status(const redis_reply *reply) {
    static const struct {
        const char *word;
        cjose_redis_status status;
    } table[] = {
        {"OOM ", cjose_redis_status_memory},
        {"LOADING ", cjose_redis_status_busy},
        {"BUSY ", cjose_redis_status_busy},
        {"MASTERDOWN ", cjose_redis_status_busy},
        {"TRYAGAIN ", cjose_redis_status_busy},
        {"CLUSTERDOWN ", cjose_redis_status_busy},
        {"ERR max number of clients", cjose_redis_status_busy},
        {"WRONGPASS ", cjose_redis_status_credentials},
        {"NOAUTH ", cjose_redis_status_credentials},
        {"NOPERM ", cjose_redis_status_credentials},
        {"ERR invalid password", cjose_redis_status_credentials},
        {"ERR AUTH ", cjose_redis_status_credentials},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (begins(reply, table[i].word)) return table[i].status;
    }
    return cjose_redis_status_command;
}

/// Whether it can be an answer to a command of this kind.
static bool answers(redis_kind kind, const redis_reply *reply) {
    switch (kind) {
    case redis_kind_greeting: return reply->type == REDIS_REPLY_STATUS;
    case redis_kind_ping: return reply->type == REDIS_REPLY_STATUS && begins(reply, "PONG");
    case redis_kind_insert: return reply->type == REDIS_REPLY_NIL || (reply->type == REDIS_REPLY_STATUS && begins(reply, "OK"));
    case redis_kind_take: return reply->type == REDIS_REPLY_NIL || reply->type == REDIS_REPLY_STRING;
    }
    return false;
}

static cjose_redis_status answer(redis_connection *connection) {
    redis_reply *reply = &connection->reply;
    redis_command *command = connection->first;
    // An answer that nothing asked for, or before what it answers was sent.
    if (command == NULL || command->sent < command->count) {
        // A server that has no connection to give says so, and closes.
        bool is_farewell = connection->state == redis_state_greeting && reply->type == REDIS_REPLY_ERROR;
        return is_farewell ? error_status(reply) : cjose_redis_status_reply;
    }
    cjose_redis_answer answer = {.status = cjose_redis_status_ok};
    if (reply->type == REDIS_REPLY_ERROR) {
        answer.status = error_status(reply);
        if (connection->state == redis_state_greeting) return answer.status;
    } else if (!answers(command->kind, reply)) {
        return cjose_redis_status_reply;
    } else {
        answer.found = reply->type != REDIS_REPLY_NIL;
        answer.bytes = reply->bytes;
        answer.count = reply->count;
    }
    connection->first = command->next;
    if (connection->first == NULL) connection->last = &connection->first;
    connection->commands--;
    if (command->kind == redis_kind_ping) {
        connection->state = redis_state_ready;
        connection->pool->failures = 0;
        connection->pool->retry_at = 0;
        pthread_mutex_lock(&connection->pool->lock);
        connection->pool->health.connections++;
        connection->pool->health.connects++;
        connection->pool->health.fault = cjose_redis_status_ok;
        pthread_mutex_unlock(&connection->pool->lock);
    }
    redis_finish(connection->pool, command, &answer);
    return cjose_redis_status_ok;
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
    // The reader waits for a whole answer, however long it says that one is.
    size_t rest = reader->len - reader->pos;
    size_t most = (size_t)connection->pool->numbers[cjose_redis_number_reply] + 64;
    return rest > most ? cjose_redis_status_reply : cjose_redis_status_ok;
}
#endif
