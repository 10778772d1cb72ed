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
    /// The server ended the handshake: it requires a client certificate, or another one.
    cjose_redis_status_tls_refused,
    cjose_redis_status_tls_handshake,
    cjose_redis_status_credentials,
    /// The server rejected the command: it does not have or does not allow it, or the database does not exist.
    cjose_redis_status_command,
    /// The server is loading its data, or has no connection left.
    cjose_redis_status_busy,
    /// The server is a replica, which accepts no writes: it was demoted by a failover.
    cjose_redis_status_read_only,
    /// The server accepts no writes, because it has fewer replicas than its configuration requires.
    cjose_redis_status_replicas,
    /// The write took place on the server, and fewer replicas than required confirmed it in time.
    cjose_redis_status_unreplicated,
    /// The server has no memory left.
    cjose_redis_status_memory,
    /// The server accepts no writes, because it cannot write to its disk.
    cjose_redis_status_disk,
    /// The server removes keys to free memory: its `maxmemory-policy` is not `noeviction`.
    cjose_redis_status_evicting,
    /// The server writes no append-only file.
    cjose_redis_status_not_persistent,
    /// The server does not have the script of this digest, and did not run it.
    cjose_redis_status_no_script,
    /// The reply does not fit the command, or is too large.
    cjose_redis_status_reply,
    cjose_redis_status_queue,
    cjose_redis_status_cancelled,
    cjose_redis_status_closed,
    /// The configured certificates and keys cannot be used.
    cjose_redis_status_settings,
    /// Memory, descriptors or threads ran out.
    cjose_redis_status_backend,
} cjose_redis_status;

/// A client with one thread, its connections and its settings. Settings are made before `cjose_redis_start` only; after
/// it every call may come from any thread. A process that forks may not use it in the child.
typedef struct cjose_redis cjose_redis;

typedef enum __attribute__((enum_extensibility(closed))) cjose_redis_text : int32_t {
    cjose_redis_text_host = 0,
    /// The name that the certificate must have, where it is not the host.
    cjose_redis_text_server_name,
    cjose_redis_text_username,
    cjose_redis_text_password,
    /// Certificates as PEM, in bytes or in a file; without either, the system's store.
    cjose_redis_text_ca,
    cjose_redis_text_ca_file,
    cjose_redis_text_certificate,
    cjose_redis_text_certificate_file,
    cjose_redis_text_key,
    cjose_redis_text_key_file,
    cjose_redis_text_passphrase,
    /// Numeric addresses, separated by commas, which replace those that the resolver finds for the host. They are for
    /// tests.
    cjose_redis_text_addresses,
    cjose_redis_text_count,
} cjose_redis_text;

typedef enum __attribute__((enum_extensibility(closed))) cjose_redis_number : int32_t {
    cjose_redis_number_port = 0,
    cjose_redis_number_tls,
    cjose_redis_number_database,
    cjose_redis_number_connections,
    cjose_redis_number_connect_ms,
    /// The time from a call to its reply.
    cjose_redis_number_command_ms,
    cjose_redis_number_retry_ms,
    cjose_redis_number_retry_max_ms,
    /// The largest number of commands without a reply.
    cjose_redis_number_queue,
    /// The largest number of bytes of a reply.
    cjose_redis_number_reply,
    /// The number of replicas that must confirm a write; 0: none.
    cjose_redis_number_replicas,
    /// The milliseconds that the server waits for them.
    cjose_redis_number_replicas_ms,
    /// Whether each server must have the policy `noeviction` and an append-only file.
    cjose_redis_number_durable,
    cjose_redis_number_count,
} cjose_redis_number;

/// Returns the version of hiredis whose headers this was built with.
const char *cjose_redis_library_version(void);

/// Creates a client. Null where memory or descriptors run out. The caller frees it with `cjose_redis_free`.
cjose_redis *_Nullable cjose_redis_new(void);
/// Sets a text, which is copied. False where memory runs out.
bool cjose_redis_set_text(cjose_redis *redis, cjose_redis_text which, const void *_Nullable bytes, size_t n);
void cjose_redis_set_number(cjose_redis *redis, cjose_redis_number which, int64_t number);
/// Starts the thread, which connects with the first command. After `settings` or `backend` it did not start.
cjose_redis_status cjose_redis_start(cjose_redis *redis) __attribute__((warn_unused_result));
/// Ends every command with `closed`, closes every connection and waits for the thread to end; on that thread itself it
/// does not wait. It may be called any number of times.
void cjose_redis_stop(cjose_redis *redis);
/// Stops the client, and releases it.
void cjose_redis_free(cjose_redis *_Nullable redis);

/// The result of a command. It lives as long as the callback that receives it.
typedef struct cjose_redis_answer {
    cjose_redis_status status;
    /// Whether the key was free, after an insert; whether the key existed, with these bytes as its value, after a take
    /// or a read.
    bool found;
    const void *_Nullable bytes;
    size_t count;
    /// The integer that a script returned, and -1 for a string. A script is `found` if this is 0, which says that it
    /// has written.
    int64_t number;
} cjose_redis_answer;

typedef void (*cjose_redis_done)(void *_Nullable context, const cjose_redis_answer *answer);

/// Runs SET key value NX PX ms. After `ok`, `done` is called once, on the thread of `redis`, and `*id` identifies the
/// command until then. Otherwise the command was rejected at once, and `done` is not called.
cjose_redis_status cjose_redis_insert(
    cjose_redis *redis, const void *key, size_t key_len, const void *_Nullable value, size_t value_len, int64_t ms,
    cjose_redis_done done, void *_Nullable context, uint64_t *id) __attribute__((warn_unused_result));
/// Runs GETDEL key.
cjose_redis_status cjose_redis_take(
    cjose_redis *redis, const void *key, size_t key_len, cjose_redis_done done, void *_Nullable context, uint64_t *id)
    __attribute__((warn_unused_result));
/// Runs GET key: the value stays.
cjose_redis_status cjose_redis_read(
    cjose_redis *redis, const void *key, size_t key_len, cjose_redis_done done, void *_Nullable context, uint64_t *id)
    __attribute__((warn_unused_result));
/// The largest number of words of a script's command.
#define CJOSE_REDIS_WORDS 16
/// Runs a command of `count` words, EVALSHA or EVAL, whose script returns an integer or a string. The `n` bytes are the
/// words one after the other, and `lengths` their lengths, whose sum is `n`. A script that has written, and whose
/// writes replicas are to confirm, returns 0.
cjose_redis_status cjose_redis_script(
    cjose_redis *redis, const void *bytes, size_t n, const size_t *lengths, size_t count, cjose_redis_done done,
    void *_Nullable context, uint64_t *id) __attribute__((warn_unused_result));
/// Ends the command with `cancelled`, if it was not yet sent.
void cjose_redis_cancel(cjose_redis *redis, uint64_t id);

typedef struct cjose_redis_health {
    /// The current numbers of connections and of commands without a reply.
    int64_t connections, outstanding;
    /// The numbers since the start.
    int64_t connects, answered, failed;
    /// The reason why the last connection, attempt or command failed; `ok`: a connection or a command has succeeded
    /// since, or none has failed. `read_only` and `replicas` end with a write that the server accepts, and
    /// `unreplicated` with one that replicas confirm.
    cjose_redis_status fault;
} cjose_redis_health;
cjose_redis_health cjose_redis_health_now(cjose_redis *redis);

#pragma clang assume_nonnull end
#endif
