#ifdef CJOSE_REDIS
#include <stdlib.h>

#include "CJOSEBytes.h"
#include "internal.h"

redis_command *redis_command_new(redis_kind kind, int count, const char **words, const size_t *lengths) {
    redis_command *command = calloc(1, sizeof *command);
    if (command == NULL) return NULL;
    // hiredis returns an int before 1.1, and a long long since.
    long long made = redisFormatCommandArgv(&command->bytes, count, words, lengths);
    if (made < 0) {
        free(command);
        return NULL;
    }
    command->count = (size_t)made;
    command->kind = kind;
    return command;
}

void redis_command_free(redis_command *command) {
    // The bytes may be values and passwords.
    cjose_wipe(command->bytes, command->count);
    redisFreeCommand(command->bytes);
    if (command->value != NULL) cjose_wipe(command->value, command->value_count);
    free(command->value);
    free(command);
}

bool redis_is_of_writes(cjose_redis_status fault) {
    return fault == cjose_redis_status_read_only || fault == cjose_redis_status_replicas
        || fault == cjose_redis_status_unreplicated;
}

bool redis_is_write(redis_kind kind) {
    return kind == redis_kind_insert || kind == redis_kind_take || kind == redis_kind_script;
}

/// Whether an answer without an error shows that the fault is over.
static bool ends_fault(cjose_redis_status fault, redis_kind kind, bool found) {
    if (!redis_is_of_writes(fault)) return true;
    if (kind == redis_kind_read) return false;
    // A script may have read and not tried to write.
    if (kind == redis_kind_script && !found) return false;
    // A server that replies to a write with nil accepts writes, because it rejects one before it looks at the key. Nil wrote
    // nothing, so that no replica has confirmed anything.
    return found || fault != cjose_redis_status_unreplicated;
}

void redis_finish(cjose_redis *pool, redis_command *command, const cjose_redis_answer *answer) {
    if (command->done != NULL) {
        pthread_mutex_lock(&pool->lock);
        pool->health.outstanding--;
        if (answer->status == cjose_redis_status_ok) {
            pool->health.answered++;
            if (ends_fault(pool->health.fault, command->kind, answer->found)) pool->health.fault = cjose_redis_status_ok;
        } else {
            pool->health.failed++;
        }
        pthread_mutex_unlock(&pool->lock);
        command->done(command->context, answer);
    }
    redis_command_free(command);
}

void redis_fail(cjose_redis *pool, redis_command *command, cjose_redis_status status) {
    cjose_redis_answer answer = {.status = status};
    redis_finish(pool, command, &answer);
}

void redis_note_fault(cjose_redis *pool, cjose_redis_status status) {
    pthread_mutex_lock(&pool->lock);
    pool->health.fault = status;
    pthread_mutex_unlock(&pool->lock);
}
#endif
