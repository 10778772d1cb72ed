#include <hiredis/hiredis.h>
#include <netdb.h>
#include <openssl/ssl.h>
#include <pthread.h>

#include "CJOSEBytes.h"
#include "CJOSERedis.h"

/// The number of bytes that are read or written at once.
#define REDIS_CHUNK 16384
/// The largest number of commands without a reply on one connection; others wait.
#define REDIS_DEPTH 256
/// The number of further commands without a reply that justify another connection.
#define REDIS_SHARE 32

/// The largest number of addresses of a name that are tried.
#define REDIS_ADDRESSES 16

typedef enum redis_kind {
    redis_kind_greeting,
    redis_kind_ping,
    /// INFO memory and INFO persistence, where the server must keep what it confirms.
    redis_kind_memory,
    redis_kind_persistence,
    redis_kind_insert,
    redis_kind_take,
    redis_kind_read,
    redis_kind_script,
    /// WAIT, for all writes before it on the connection.
    redis_kind_wait,
} redis_kind;

typedef struct redis_command {
    struct redis_command *next;
    /// The bytes from hiredis's formatter; wiped before they are freed.
    char *bytes;
    size_t count;
    /// The number of bytes that were copied to the output buffer.
    size_t sent;
    int64_t deadline;
    uint64_t id;
    redis_kind kind;
    cjose_redis_done done;
    void *context;
    /// The value that a take returned, until replicas have confirmed the take.
    char *value;
    size_t value_count;
} redis_command;

/// The one reply that a reader keeps: a bounded replacement of hiredis's own objects.
typedef struct redis_reply {
    /// REDIS_REPLY_STRING and so on; 0 for a kind that no command here has as its reply.
    int type;
    char *bytes;
    size_t count;
    long long number;
} redis_reply;

typedef struct redis_address {
    struct sockaddr_storage to;
    socklen_t count;
} redis_address;

/// The addresses of a name, in the order in which they are tried.
typedef struct redis_addresses {
    redis_address list[REDIS_ADDRESSES];
    int count;
} redis_addresses;

/// The addresses that failed last; `at` counts failures, and 0 is a free entry.
typedef struct redis_failures {
    redis_address list[REDIS_ADDRESSES];
    uint64_t at[REDIS_ADDRESSES];
    uint64_t last;
} redis_failures;

/// A lookup of addresses with a thread of its own: the resolver has no deadline.
typedef struct redis_lookup redis_lookup;

typedef enum redis_state {
    redis_state_down,
    redis_state_lookup,
    redis_state_connecting,
    redis_state_handshake,
    redis_state_greeting,
    redis_state_ready,
} redis_state;

typedef struct redis_connection {
    cjose_redis *pool;
    redis_state state;
    int fd;
    SSL *ssl;
    redis_lookup *lookup;
    redis_addresses addresses;
    /// The index of the address after the current one.
    int next_address;
    /// The deadlines of the current address, and of all, until the state is `ready`.
    int64_t address_deadline, deadline;
    /// The furthest state that an address of this attempt reached, and why it failed.
    redis_state reached;
    cjose_redis_status fault;
    /// Whether libssl waits for room to write.
    bool wants_write;
    redis_command *first;
    redis_command **last;
    /// The first command that is not completely sent.
    redis_command *unsent;
    int64_t commands;
    /// The deadline of the first write that no WAIT follows yet; 0: there is none.
    int64_t unconfirmed_deadline;
    /// Whether a WAIT was sent. Writes that come meanwhile share the next one, so that many cost no more than two timeouts.
    bool awaits_replicas;
    /// Writes that the server has answered and replicas have not confirmed yet.
    redis_command *written;
    redis_command **written_end;
    redisReader *reader;
    redis_reply reply;
    unsigned char out[REDIS_CHUNK];
    size_t out_count, out_sent;
} redis_connection;

struct cjose_redis {
    /// The reference count; the thread and lookups have other references.
    cjose_threaded threaded;
    char *texts[cjose_redis_text_count];
    size_t lengths[cjose_redis_text_count];
    int64_t numbers[cjose_redis_number_count];
    SSL_CTX *tls;

    pthread_mutex_t lock;
    pthread_t thread;
    pthread_cond_t ended_signal;
    int wake[2];
    /// The following members are protected by the lock.
    redis_command *waiting;
    redis_command **waiting_end;
    int64_t waiting_count;
    uint64_t last_id;
    bool woken, started, stopping, joining, ended;
    cjose_redis_health health;

    /// The following members are used on the thread only.
    redis_connection *connections;
    /// The number of failures since a command succeeded last.
    int64_t failures;
    int64_t retry_at;
    redis_failures failed;
};

int64_t redis_clock_ms(void);
void redis_wake(cjose_redis *pool);
bool redis_has(const cjose_redis *pool, cjose_redis_text which);

/// Whether the fault is one of writes only, which a read or a ping does not end.
bool redis_is_of_writes(cjose_redis_status fault);
/// Whether a command of this kind may write, if its answer is found.
bool redis_is_write(redis_kind kind);
/// Creates a command. Null where memory runs out.
redis_command *redis_command_new(redis_kind kind, int count, const char **words, const size_t *lengths);
void redis_command_free(redis_command *command);
/// Calls the callback of the command, and frees it.
void redis_finish(cjose_redis *pool, redis_command *command, const cjose_redis_answer *answer);
void redis_fail(cjose_redis *pool, redis_command *command, cjose_redis_status status);
/// Records a fault for the health.
void redis_note_fault(cjose_redis *pool, cjose_redis_status status);

/// Creates a reader that the connection owns. False where memory runs out.
bool redis_reader_open(redis_connection *connection);
void redis_reader_close(redis_connection *connection);
/// Removes all commands of the connection that replicas have not confirmed, and finishes them.
void redis_confirm(redis_connection *connection, bool is_confirmed);
/// Passes received bytes to the reader, and finishes the commands whose replies are complete. After any status but `ok` the
/// connection is useless.
cjose_redis_status redis_reader_feed(redis_connection *connection, const char *bytes, size_t n);

/// Configures TLS. `settings` where the certificates or keys cannot be used.
cjose_redis_status redis_tls_open(cjose_redis *pool);
/// Begins TLS on a connection. False where memory runs out.
bool redis_tls_begin(redis_connection *connection);
/// Continues the handshake. Returns 1 where it is complete, 0 where it waits for the network, and -1 with the reason in
/// `*status`.
int redis_tls_handshake(redis_connection *connection, cjose_redis_status *status);
/// Reads bytes, and returns their number, 0 where there are none for now, and -1 with the reason in `*status` where the
/// connection has ended.
ssize_t redis_read(redis_connection *connection, void *to, size_t n, cjose_redis_status *status);
ssize_t redis_write(redis_connection *connection, const void *from, size_t n, cjose_redis_status *status);

/// Finds the addresses of the pool's host: at once where it is one, and else on a thread. False where memory or threads run out.
bool redis_lookup_begin(redis_connection *connection);
/// Whether the lookup has ended, with or without addresses, which are then the connection's.
bool redis_lookup_ended(redis_connection *connection);
void redis_lookup_forget(redis_connection *connection);

/// Sorts addresses that failed behind those that did not, the one whose failure is the longest ago first.
void redis_addresses_sort(redis_connection *connection);
/// Records that the current address failed.
void redis_address_failed(redis_connection *connection);
/// Removes the current address from those that failed.
void redis_address_succeeded(redis_connection *connection);

void redis_connection_open(redis_connection *connection);
/// Does all that can be done without waiting.
void redis_connection_step(redis_connection *connection);
/// Closes the connection. Commands whose sending has not begun wait again; all others fail.
void redis_connection_drop(redis_connection *connection, cjose_redis_status status);
/// Ends the attempt at the current address, and begins that at the next one where there is one.
void redis_connection_give_up(redis_connection *connection, cjose_redis_status status);
/// Whether the state before `greeting` is over, so that there is more to do.
bool redis_connection_advance(redis_connection *connection);
/// Closes what belongs to the current address; commands that were added are left.
void redis_connection_close(redis_connection *connection);
/// Ends what exceeds its deadline: the current address, or the connection.
void redis_connection_expire(redis_connection *connection);
void redis_connection_add(redis_connection *connection, redis_command *command);
/// Adds a WAIT for the writes that none follows yet, where replicas must confirm them and none is pending. False where memory
/// runs out.
bool redis_connection_await_replicas(redis_connection *connection);
/// Returns the events to poll for; 0 for none.
short redis_connection_events(const redis_connection *connection);
/// Returns the time at which the connection must have made progress.
int64_t redis_connection_deadline(const redis_connection *connection);

/// Runs the thread.
void *redis_run(void *pool);
