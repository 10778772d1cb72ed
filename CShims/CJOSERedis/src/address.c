#ifdef CJOSE_REDIS
#include <string.h>

#include "internal.h"

static int failure_index(const redis_failures *failed, const redis_address *address) {
    for (int i = 0; i < REDIS_ADDRESSES; i++) {
        const redis_address *other = &failed->list[i];
        if (failed->at[i] == 0 || other->count != address->count) continue;
        if (memcmp(&other->to, &address->to, address->count) == 0) return i;
    }
    return -1;
}

static const redis_address *current(const redis_connection *connection) {
    int index = connection->next_address - 1;
    return index < 0 || index >= connection->addresses.count ? NULL : &connection->addresses.list[index];
}

void redis_addresses_sort(redis_connection *connection) {
    redis_addresses *addresses = &connection->addresses;
    const redis_failures *failed = &connection->pool->failed;
    uint64_t at[REDIS_ADDRESSES];
    for (int i = 0; i < addresses->count; i++) {
        redis_address address = addresses->list[i];
        int index = failure_index(failed, &address);
        uint64_t time = index < 0 ? 0 : failed->at[index];
        int to = i;
        for (; to > 0 && at[to - 1] > time; to--) {
            addresses->list[to] = addresses->list[to - 1];
            at[to] = at[to - 1];
        }
        addresses->list[to] = address;
        at[to] = time;
    }
}

void redis_address_failed(redis_connection *connection) {
    redis_failures *failed = &connection->pool->failed;
    const redis_address *address = current(connection);
    if (address == NULL) return;
    int index = failure_index(failed, address);
    // A free entry is used, or that of the oldest failure.
    for (int i = 0; index < 0 && i < REDIS_ADDRESSES; i++) {
        if (failed->at[i] == 0) index = i;
    }
    if (index < 0) {
        index = 0;
        for (int i = 1; i < REDIS_ADDRESSES; i++) {
            if (failed->at[i] < failed->at[index]) index = i;
        }
    }
    failed->list[index] = *address;
    failed->at[index] = ++failed->last;
}

void redis_address_succeeded(redis_connection *connection) {
    redis_failures *failed = &connection->pool->failed;
    const redis_address *address = current(connection);
    // Most services never see a failure.
    if (failed->last == 0 || address == NULL) return;
    int index = failure_index(failed, address);
    if (index >= 0) failed->at[index] = 0;
}
#endif
