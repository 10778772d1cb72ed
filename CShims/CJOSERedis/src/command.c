#ifdef CJOSE_REDIS
#include <stdlib.h>

#include "CJOSEBytes.h"
#include "internal.h"

redis_command *redis_command_new(redis_kind kind, int count, const char **words, const size_t *lengths) {
    redis_command *command = calloc(1, sizeof *command);
    if (command == NULL) return NULL;
    int made = redisFormatCommandArgv(&command->bytes, count, words, lengths);
    if (made < 0) {
        free(command);
        return NULL;
    }
    command->count = (size_t)made;
    command->kind = kind;
    return command;
}

void redis_command_free(redis_command *command) {
    // Values and passwords.
    cjose_wipe(command->bytes, command->count);
    redisFreeCommand(command->bytes);
    free(command);
}

void redis_finish(cjose_redis *pool, redis_command *command, const cjose_redis_answer *answer) {
    if (command->done != NULL) {
        pthread_mutex_lock(&pool->lock);
        pool->health.outstanding--;
        if (answer->status == cjose_redis_status_ok) {
            pool->health.answered++;
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
#endif
