#include "cjose_threaded.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    cjose_threaded *first;
    bool has_ended;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/// Removes an object from the list, under the lock. An object that is not in the list stays as it is.
static void take_out(cjose_threaded *object) {
    if (object->previous != NULL) object->previous->next = object->next;
    if (object->next != NULL) object->next->previous = object->previous;
    if (all.first == object) all.first = object->next;
    object->next = object->previous = NULL;
}

/// Returns one of the objects of this process, with a reference; NULL where there is none.
static cjose_threaded *take(pid_t process) {
    pthread_mutex_lock(&all.lock);
    all.has_ended = true;
    cjose_threaded *object = all.first;
    while (object != NULL && object->process != process) object = object->next;
    if (object != NULL) {
        take_out(object);
        object->references++;
    }
    pthread_mutex_unlock(&all.lock);
    return object;
}

static void stop_all(void) {
    cjose_threaded *object;
    while ((object = take(getpid())) != NULL) {
        object->stop(object);
        cjose_threaded_release(object);
    }
}

bool cjose_threaded_begin(void) { return atexit(stop_all) == 0; }

bool cjose_threaded_init(cjose_threaded *object, void (*stop)(cjose_threaded *), void (*free)(cjose_threaded *)) {
    *object = (cjose_threaded){.stop = stop, .free = free, .references = 1, .process = getpid()};
    pthread_mutex_lock(&all.lock);
    bool has_ended = all.has_ended;
    if (!has_ended) {
        object->next = all.first;
        if (all.first != NULL) all.first->previous = object;
        all.first = object;
    }
    pthread_mutex_unlock(&all.lock);
    return !has_ended;
}

void cjose_threaded_retain(cjose_threaded *object) {
    pthread_mutex_lock(&all.lock);
    object->references++;
    pthread_mutex_unlock(&all.lock);
}

void cjose_threaded_release(cjose_threaded *object) {
    pthread_mutex_lock(&all.lock);
    bool is_last = --object->references == 0;
    if (is_last) take_out(object);
    pthread_mutex_unlock(&all.lock);
    if (is_last) object->free(object);
}
