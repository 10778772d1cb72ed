#ifndef CJOSE_POOL_H
#define CJOSE_POOL_H
#include <stdatomic.h>
#include <stdbool.h>

/// Things kept ready for whichever thread comes next. No lock: a thread takes by exchange and gives by
/// compare-and-exchange, beginning at a slot of its own, so that two threads seldom touch the same line.
typedef struct cjose_pool cjose_pool;
typedef _Atomic(cjose_pool *) cjose_pool_place;

/// The pool at `place`, made when it is first wanted; null: out of memory.
cjose_pool *cjose_pool_at(cjose_pool_place *place);
/// Null: none is free.
void *cjose_pool_take(cjose_pool *pool);
/// False: no room, and the item stays the caller's.
bool cjose_pool_give(cjose_pool *pool, void *item);
/// For the owner of the pool, when no thread uses it any more.
void cjose_pool_end(cjose_pool_place *place, void (*end)(void *item));
#endif
