#ifndef CJOSE_REDIS_H
#define CJOSE_REDIS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

typedef enum __attribute__((enum_extensibility(closed))) cjose_redis_status : int32_t {
    cjose_redis_status_ok = 0,
    cjose_redis_status_name,
    cjose_redis_status_connect,
    cjose_redis_status_connect_deadline,
    cjose_redis_status_deadline,
    cjose_redis_status_lost,
    cjose_redis_status_tls_untrusted,
    cjose_redis_status_tls_name,
    /// The server ended the handshake: it wants a certificate of ours, or another one.
    cjose_redis_status_tls_refused,
    cjose_redis_status_tls_handshake,
    cjose_redis_status_credentials,
    /// It said no: a command that it does not have or does not allow, a database that is not there.
    cjose_redis_status_command,
    /// It loads its data, or has no connection left.
    cjose_redis_status_busy,
    /// The server is a replica, which accepts no writes: it was demoted by a failover.
    cjose_redis_status_read_only,
    /// The server accepts no writes, because it has fewer replicas than its configuration requires.
    cjose_redis_status_replicas,
    /// The write took place on the server, and fewer replicas than required confirmed it in time.
    cjose_redis_status_unreplicated,
    /// It has no memory left.
    cjose_redis_status_memory,
    /// What came is no answer to what was asked, or larger than any.
    cjose_redis_status_reply,
    cjose_redis_status_queue,
    cjose_redis_status_cancelled,
    cjose_redis_status_closed,
    /// The certificates and keys that are set cannot be used.
    cjose_redis_status_settings,
    /// Out of memory, descriptors or threads.
    cjose_redis_status_backend,
} cjose_redis_status;

/// One thread, its connections and its settings. Settings are made before `cjose_redis_start` alone; after it every call may come
/// from any thread. A process that forks may not use it in the child.
typedef struct cjose_redis cjose_redis;

typedef enum __attribute__((enum_extensibility(closed))) cjose_redis_text : int32_t {
    cjose_redis_text_host = 0,
    /// What the certificate must name, where it is not the host.
    cjose_redis_text_server_name,
    cjose_redis_text_username,
    cjose_redis_text_password,
    /// PEM, as bytes or as a file of them; without either, the system's store.
    cjose_redis_text_ca,
    cjose_redis_text_ca_file,
    cjose_redis_text_certificate,
    cjose_redis_text_certificate_file,
    cjose_redis_text_key,
    cjose_redis_text_key_file,
    cjose_redis_text_passphrase,
    /// Numeric addresses, separated by commas, in place of those that the resolver finds for the host. For tests.
    cjose_redis_text_addresses,
    cjose_redis_text_count,
} cjose_redis_text;

typedef enum __attribute__((enum_extensibility(closed))) cjose_redis_number : int32_t {
    cjose_redis_number_port = 0,
    cjose_redis_number_tls,
    cjose_redis_number_database,
    cjose_redis_number_connections,
    cjose_redis_number_connect_ms,
    /// From the call to its answer.
    cjose_redis_number_command_ms,
    cjose_redis_number_retry_ms,
    cjose_redis_number_retry_most_ms,
    /// Commands without an answer.
    cjose_redis_number_queue,
    /// Bytes of an answer.
    cjose_redis_number_reply,
    /// Replicas that must confirm a write; 0: none.
    cjose_redis_number_replicas,
    /// Milliseconds that the server waits for them.
    cjose_redis_number_replicas_ms,
    cjose_redis_number_count,
} cjose_redis_number;

/// Null: out of memory or descriptors. The caller ends it with `cjose_redis_free`.
cjose_redis *_Nullable cjose_redis_new(void);
/// Copies what it is given. False: out of memory.
bool cjose_redis_set_text(cjose_redis *redis, cjose_redis_text which, const void *_Nullable bytes, size_t n);
void cjose_redis_set_number(cjose_redis *redis, cjose_redis_number which, int64_t number);
/// Begins the thread; it connects when there is something to ask. `settings`, `backend`: it did not begin.
cjose_redis_status cjose_redis_start(cjose_redis *redis) __attribute__((warn_unused_result));
/// Ends every command with `closed`, closes every connection and waits for the thread to end; on that thread itself it does not
/// wait. Any number of times.
void cjose_redis_stop(cjose_redis *redis);
/// Stops it, and gives it up.
void cjose_redis_free(cjose_redis *_Nullable redis);

/// What came. It lives as long as the call that hands it over.
typedef struct cjose_redis_answer {
    cjose_redis_status status;
    /// Of an insert: the key was free. Of a take or a read: it was held, and these bytes were its value.
    bool found;
    const void *_Nullable bytes;
    size_t count;
} cjose_redis_answer;

typedef void (*cjose_redis_done)(void *_Nullable context, const cjose_redis_answer *answer);

/// SET key value NX PX ms. `ok`: `done` will be called once, on the thread of `redis`, and `*id` names the command until then. Any
/// other: it was refused at once, and `done` is not called.
cjose_redis_status cjose_redis_insert(
    cjose_redis *redis, const void *key, size_t key_len, const void *_Nullable value, size_t value_len, int64_t ms,
    cjose_redis_done done, void *_Nullable context, uint64_t *id) __attribute__((warn_unused_result));
/// GETDEL key.
cjose_redis_status cjose_redis_take(
    cjose_redis *redis, const void *key, size_t key_len, cjose_redis_done done, void *_Nullable context, uint64_t *id)
    __attribute__((warn_unused_result));
/// GET key: the value stays.
cjose_redis_status cjose_redis_read(
    cjose_redis *redis, const void *key, size_t key_len, cjose_redis_done done, void *_Nullable context, uint64_t *id)
    __attribute__((warn_unused_result));
/// Ends the command with `cancelled`, if it was not yet sent.
void cjose_redis_cancel(cjose_redis *redis, uint64_t id);

typedef struct cjose_redis_health {
    /// Now.
    int64_t connections, outstanding;
    /// Since it began.
    int64_t connects, answered, failed;
    /// The reason why the last connection, attempt or command failed; `ok`: a connection or a command has succeeded since, or none
    /// has failed. `read_only` and `replicas` end with a write that the server accepts, and `unreplicated` with one that replicas confirm.
    cjose_redis_status fault;
} cjose_redis_health;
cjose_redis_health cjose_redis_health_now(cjose_redis *redis);

#pragma clang assume_nonnull end
#endif
