#!/bin/sh
# What many threads share, under ThreadSanitizer, in a build folder of its own: key sets and their transport, the faults, stores of
# logins and of used tokens, keys on several threads, answers in XML that are read side by side, and what makes many tokens fast:
# batches, gates, tables, caches.
set -eu
cd "$(dirname "$0")/../.."
sh Tests/Scripts/install.sh test
# A report ends the run with a status of its own; Swift's own backtracer beside the sanitizer can hang.
export SWIFT_BACKTRACE=enable=no TSAN_OPTIONS="halt_on_error=1 suppressions=$PWD/Tests/Scripts/race.supp"
build='--enable-all-traits --disable-xctest --sanitize=thread --scratch-path .build/race'
swift build --build-tests $(echo "$build" | sed 's/--disable-xctest//')
# A target at a time: see suites.sh.
for target in JOSEKeySetsTests JOSEFetchTests JOSEFaultTests JOSERedisTests \
    'JOSESAMLTests.(SignatureTests|EncryptionTests|SubjectTests|DigiDLoginTests)' \
    'KeySourceTests|WaitingTests|ReplayStoreTests|RemoteServiceTests|SharedKeyTests|MemoryLoginStoreTests' \
    'Batch.*Tests|CoalescingTests|Gate.*Tests|WorkerThreadsTests|HotKeyTests|KnownHeaderTests|TokenCache.*Tests'; do
    # How much memory a cache takes cannot be seen beside what the sanitizer adds to each allocation.
    swift test $build --skip-build --filter "$target" --skip TokenCacheMemoryTests
done
