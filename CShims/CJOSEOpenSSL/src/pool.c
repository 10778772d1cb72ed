#include "pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct slot {
    _Alignas(64) _Atomic(void *) item;
} slot;

struct cjose_pool {
    unsigned mask;
    slot slots[];
};

static _Atomic(unsigned) threads;

static unsigned first_slot(void) {
    static _Thread_local unsigned number;
    if (number == 0) number = 1 + atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);
    return number;
}

/// Returns the number of slots. The system is asked once: it reads a file, which takes longer than all else that a key
/// for one signature needs besides its mathematics.
static unsigned slot_count(void) {
    static _Atomic(unsigned) known;
    unsigned count = atomic_load_explicit(&known, memory_order_relaxed);
    if (count != 0) return count;
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    count = 4;
    while (count < 512 && (long)count < 2 * cpus) count *= 2;
    atomic_store_explicit(&known, count, memory_order_relaxed);
    return count;
}

static cjose_pool *pool_new(void) {
    unsigned count = slot_count();
    void *memory;
    if (posix_memalign(&memory, 64, sizeof(cjose_pool) + 64 + count * sizeof(slot)) != 0) return NULL;
    cjose_pool *pool = memory;
    pool->mask = count - 1;
    for (unsigned i = 0; i < count; i++) atomic_init(&pool->slots[i].item, NULL);
    return pool;
}

cjose_pool *cjose_pool_at(cjose_pool_handle *handle) {
    cjose_pool *pool = atomic_load_explicit(handle, memory_order_acquire);
    if (pool != NULL) return pool;
    cjose_pool *made = pool_new();
    if (made == NULL) return NULL;
    if (atomic_compare_exchange_strong_explicit(handle, &pool, made, memory_order_acq_rel, memory_order_acquire))
        return made;
    free(made);
    return pool;
}

void *cjose_pool_take(cjose_pool *pool) {
    unsigned start = first_slot();
    for (unsigned i = 0; i <= pool->mask; i++) {
        slot *here = &pool->slots[(start + i) & pool->mask];
        if (atomic_load_explicit(&here->item, memory_order_relaxed) == NULL) continue;
        void *item = atomic_exchange_explicit(&here->item, NULL, memory_order_acquire);
        if (item != NULL) return item;
    }
    return NULL;
}

bool cjose_pool_give(cjose_pool *pool, void *item) {
    unsigned start = first_slot();
    for (unsigned i = 0; i <= pool->mask; i++) {
        slot *here = &pool->slots[(start + i) & pool->mask];
        void *none = NULL;
        if (atomic_load_explicit(&here->item, memory_order_relaxed) == NULL
            && atomic_compare_exchange_strong_explicit(
                &here->item, &none, item, memory_order_release, memory_order_relaxed))
            return true;
    }
    return false;
}

void cjose_pool_end(cjose_pool_handle *handle, void (*end)(void *item)) {
    cjose_pool *pool = atomic_exchange_explicit(handle, NULL, memory_order_acquire);
    if (pool == NULL) return;
    for (void *item; (item = cjose_pool_take(pool)) != NULL;) end(item);
    free(pool);
}
