#ifndef CJOSE_THREADED_H
#define CJOSE_THREADED_H
#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// The first member of an object that has a thread of its own and is freed with its last reference.
///
/// `exit` runs the handlers of libraries, such as libcrypto's, which frees what every thread of the process uses. A connection over TLS
/// that a thread closes at that moment crashes the process. The threads of these objects are therefore stopped before.
typedef struct cjose_threaded {
    /// Ends the thread and waits for its end. Called from any thread, any number of times.
    void (*stop)(struct cjose_threaded *object);
    void (*free)(struct cjose_threaded *object);
    size_t references;
    struct cjose_threaded *_Nullable next;
    struct cjose_threaded *_Nullable previous;
} cjose_threaded;

/// Registers the handler that stops all threads at `exit`. Handlers run in the reverse order of their registration: to be called once by
/// each module, after it has initialized the libraries that its threads use. False without memory.
bool cjose_threaded_begin(void) __attribute__((warn_unused_result));
/// Makes the first reference.
void cjose_threaded_init(cjose_threaded *object, void (*stop)(cjose_threaded *), void (*free)(cjose_threaded *));
void cjose_threaded_retain(cjose_threaded *object);
/// Calls `free` where the reference was the last one.
void cjose_threaded_release(cjose_threaded *object);

#pragma clang assume_nonnull end
#endif
