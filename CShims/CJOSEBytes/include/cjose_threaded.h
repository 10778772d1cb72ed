#ifndef CJOSE_THREADED_H
#define CJOSE_THREADED_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/// The first member of an object that has a thread of its own and is freed with its last reference.
///
/// `exit` runs the handlers of libraries, such as libcrypto's, which frees what every thread of the process uses. A thread that
/// begins a connection over TLS at that moment crashes the process. A handler that runs before libcrypto's stops the threads of
/// these objects.
typedef struct cjose_threaded {
    /// Ends the thread and waits for its end. Called from any thread, any number of times.
    void (*stop)(struct cjose_threaded *object);
    void (*free)(struct cjose_threaded *object);
    size_t references;
    /// The process that created the object: a forked process has none of its threads.
    pid_t process;
    struct cjose_threaded *_Nullable next;
    struct cjose_threaded *_Nullable previous;
} cjose_threaded;

/// Registers the handler that stops all threads at `exit`. Handlers run in the reverse order of their registration: each module
/// calls this once, after it has initialized the libraries that its threads use. False where memory runs out.
bool cjose_threaded_begin(void) __attribute__((warn_unused_result));
/// Creates the first reference. False once the process ends: an object that is created then would be stopped by nobody.
bool cjose_threaded_init(
    cjose_threaded *object, void (*stop)(cjose_threaded *), void (*free)(cjose_threaded *)) __attribute__((warn_unused_result));
void cjose_threaded_retain(cjose_threaded *object);
/// Calls `free` where the reference was the last one.
void cjose_threaded_release(cjose_threaded *object);

#pragma clang assume_nonnull end
#endif
