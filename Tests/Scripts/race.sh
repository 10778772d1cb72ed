#!/bin/sh
# race.sh: tests state shared by threads under ThreadSanitizer, in a build folder of its own: key sets and their transport, the
# faults, stores of logins and of used tokens, keys on several threads, XML responses that are parsed concurrently, and the code for many
# tokens: batches, limiters, tables, caches.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
. Tests/Scripts/reported.sh
sh Tests/Scripts/install.sh test
# A report ends the run with an exit status of its own. Swift's backtracer can hang under the sanitizer.
export SWIFT_BACKTRACE=enable=no TSAN_OPTIONS="halt_on_error=1 suppressions=$PWD/Tests/Scripts/race.supp"
build="$debug --sanitize=thread --scratch-path .build/race"
# Each suite that is named below is in one of these targets.
BULLA_TESTS='JOSEKeySetsTests JOSEFetchTests JOSEFaultTests JOSERedisTests JOSEDigiDTests JOSETokensTests JOSETests JOSECryptoTests'
export BULLA_TESTS
swift_build --build-tests $build
# The targets run one after the other: see suites.sh.
for target in JOSEKeySetsTests JOSEFetchTests JOSEFaultTests JOSERedisTests \
    'JOSEDigiDTests.(SignatureTests|EncryptionTests|SubjectTests|DigiDLoginTests)' \
    'KeySourceTests|WaitingTests|ReplayStoreTests|RemoteServiceTests|SharedKeyTests|MemoryLoginStoreTests' \
    'Batch.*Tests|CoalescingTests|RequestCoalescerTests|DecryptionLimiterTests|LimiterQueueTests|LimitedDecryptionTests' \
    'WorkerThreadsTests|HotKeyTests|KnownHeaderTests|TokenCache.*Tests'; do
    # The memory of a cache cannot be measured, because the sanitizer adds memory to each allocation.
    reported swift test $build --disable-xctest --skip-build --filter "$target" --skip TokenCacheMemoryTests
done
