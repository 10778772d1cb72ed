#ifndef CJOSE_POOL_H
#define CJOSE_POOL_H
#include <stdatomic.h>
#include <stdbool.h>

/// A pool of ready objects for any thread, without a lock: a thread takes by exchange and returns by
/// compare-and-exchange, beginning at a slot of its own, so that two threads seldom use the same cache line.
typedef struct cjose_pool cjose_pool;
typedef _Atomic(cjose_pool *) cjose_pool_handle;

/// Returns the pool of a handle, which is created on first use; null where memory runs out.
cjose_pool *cjose_pool_at(cjose_pool_handle *handle);
/// Takes an object; null where none is free.
void *cjose_pool_take(cjose_pool *pool);
/// Returns an object to the pool. False where there is no room, and the object stays the caller's.
bool cjose_pool_give(cjose_pool *pool, void *item);
/// Frees the pool and its objects, when no thread uses it any more.
void cjose_pool_end(cjose_pool_handle *handle, void (*end)(void *item));
#endif
