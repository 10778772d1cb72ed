#include <hiredis/hiredis.h>
#include <netdb.h>
#include <openssl/ssl.h>
#include <pthread.h>

#include "CJOSEBytes.h"
#include "CJOSERedis.h"

/// Bytes that are read or written at once.
#define REDIS_CHUNK 16384
/// Commands that are on their way on one connection; others wait for their turn.
#define REDIS_DEPTH 256
/// So many more without an answer are worth another connection.
#define REDIS_SHARE 32

/// Addresses of a name that are tried.
#define REDIS_ADDRESSES 16

typedef enum redis_kind {
    redis_kind_greeting,
    redis_kind_ping,
    redis_kind_insert,
    redis_kind_take,
    redis_kind_read,
    /// WAIT, for all writes before it on the connection.
    redis_kind_wait,
} redis_kind;

typedef struct redis_command {
    struct redis_command *next;
    /// Of hiredis's formatter; wiped before they are freed.
    char *bytes;
    size_t count;
    /// Copied to where the connection writes from.
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

/// The one answer that a reader holds: what hiredis's own objects would be, bounded.
typedef struct redis_reply {
    /// REDIS_REPLY_STRING and so on; 0: of a kind that nothing here is answered with.
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

/// The addresses that failed last; `at` counts failures, and 0 is a free place.
typedef struct redis_failures {
    redis_address list[REDIS_ADDRESSES];
    uint64_t at[REDIS_ADDRESSES];
    uint64_t last;
} redis_failures;

/// Addresses that a thread of its own looks up: the resolver knows no deadline.
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
    /// When the attempt at the current address, and when all of them, must be `ready`.
    int64_t address_deadline, deadline;
    /// The furthest state that an address of this attempt reached, and why it failed.
    redis_state reached;
    cjose_redis_status fault;
    /// libssl waits for room to write.
    bool wants_write;
    redis_command *first;
    redis_command **last;
    /// The first that is not wholly sent.
    redis_command *unsent;
    int64_t commands;
    /// The deadline of the first write that no WAIT follows yet; 0: there is none.
    int64_t unconfirmed_deadline;
    /// A WAIT is on its way. Writes that come meanwhile share the next one, so that many cost no more than two timeouts.
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
    /// Other references are those of the thread and of lookups.
    cjose_threaded threaded;
    char *texts[cjose_redis_text_count];
    size_t lengths[cjose_redis_text_count];
    int64_t numbers[cjose_redis_number_count];
    SSL_CTX *tls;

    pthread_mutex_t lock;
    pthread_t thread;
    pthread_cond_t ended_signal;
    int wake[2];
    /// All that follow, under the lock.
    redis_command *waiting;
    redis_command **waiting_end;
    int64_t waiting_count;
    uint64_t last_id;
    bool woken, started, stopping, joining, ended;
    cjose_redis_health health;

    /// On the thread alone.
    redis_connection *connections;
    /// Failures since a command succeeded last.
    int64_t failures;
    int64_t retry_at;
    redis_failures failed;
};

int64_t redis_clock_ms(void);
void redis_wake(cjose_redis *pool);
bool redis_has(const cjose_redis *pool, cjose_redis_text which);

/// Whether the fault is one of writes alone, which a read or a ping does not end.
bool redis_is_of_writes(cjose_redis_status fault);
/// Null: out of memory.
redis_command *redis_command_new(redis_kind kind, int count, const char **words, const size_t *lengths);
void redis_command_free(redis_command *command);
/// Tells who waits, and frees it.
void redis_finish(cjose_redis *pool, redis_command *command, const cjose_redis_answer *answer);
void redis_fail(cjose_redis *pool, redis_command *command, cjose_redis_status status);
/// Records a fault for the health.
void redis_note_fault(cjose_redis *pool, cjose_redis_status status);

/// False: out of memory. The connection is the reader's only owner.
bool redis_reader_open(redis_connection *connection);
void redis_reader_close(redis_connection *connection);
/// Takes all commands of the connection out that replicas have not confirmed, and finishes them.
void redis_confirm(redis_connection *connection, bool is_confirmed);
/// Hands over what came, and answers whoever it answers. Any status but `ok`: the connection is of no more use.
cjose_redis_status redis_reader_feed(redis_connection *connection, const char *bytes, size_t n);

/// `settings`: the certificates or keys cannot be used.
cjose_redis_status redis_tls_open(cjose_redis *pool);
/// False: out of memory.
bool redis_tls_begin(redis_connection *connection);
/// 1: done; 0: it waits for the network; -1: `*status` says why not.
int redis_tls_handshake(redis_connection *connection, cjose_redis_status *status);
/// More than 0: so many bytes; 0: none for now; -1: the connection has ended, and `*status` says why.
ssize_t redis_read(redis_connection *connection, void *to, size_t n, cjose_redis_status *status);
ssize_t redis_write(redis_connection *connection, const void *from, size_t n, cjose_redis_status *status);

/// Addresses of the pool's host: at once where it is one, and else by a thread. False: out of memory or threads.
bool redis_lookup_begin(redis_connection *connection);
/// Whether the addresses are there by now, or are known not to be: then they are the connection's.
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
/// Closes it. What was not begun to be sent waits again; all else fails.
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
/// Adds a WAIT for the writes that none follows yet, where replicas must confirm them and none is on its way. False: out of memory.
bool redis_connection_await_replicas(redis_connection *connection);
/// What poll shall wait for; 0: nothing.
short redis_connection_events(const redis_connection *connection);
/// When it must have moved on.
int64_t redis_connection_deadline(const redis_connection *connection);

/// The thread.
void *redis_run(void *pool);
