# Sourced: how the debug build in .build is made, and with which flags release builds are. A call with other options would rebuild it, and
# so would the next call.
# The C code is optimized a little: without that JOSETokensTests and JOSECryptoTests take more than twice as long. Without debug information
# the modules of tests compile in six sevenths of the time; a trap prints its place all the same. The packages of consumers.sh are built as
# users build them, with neither.
quick='-Xcc -O1 -debug-info-format none'
debug="--enable-all-traits $quick"
# The build under AddressSanitizer, with the C code under UndefinedBehaviorSanitizer.
address_sanitizer="$debug --sanitize=address -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined --scratch-path .build/sanitize"

# The C code and the program of a release build, on Linux: with a check of the stack when a function returns, with the functions of the C
# library that know the size of what they write to, and with all relocations read-only before the program begins. The first and the last are
# given here and not in the manifest, because a package with such flags cannot be depended on by its version. The second is a macro, which
# Package.swift defines for C where BULLA_FORTIFY is 1: by `-Xcc` Swift's importer would have it too, and find two functions named `read`
# (glibc 2.41). hardened.sh looks for all of them in programs.
hardened=
fortified=
if [ "$(uname)" = Linux ]; then
    hardened='-Xcc -fstack-protector-strong -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now'
    fortified='env BULLA_FORTIFY=1'
fi

# Swift's tools write the traits of a package into their commands in the order of a set. It would be another order each time a build is
# planned, and everything would be compiled again. Tests run without the variable, so that they see sets in any order.
deterministic='env SWIFT_DETERMINISTIC_HASHING=1'
export BULLA_EXAMPLES=1 # Package.swift says why.
swift_build() { $deterministic swift build "$@"; }
