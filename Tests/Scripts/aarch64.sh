#!/bin/sh
# aarch64.sh [COUNT] [SEED]: builds the portable C kernels and their checker for aarch64 with clang and Debian's cross compiler, whose C
# library, linker and runtime it takes, and runs them under qemu-user: the edge cases of Tests/Programs/KernelChecker, and COUNT random
# cases of each size (200), compared with libcrypto and libsodium of Debian's arm64. It is for Debian, and is not run in CI.
set -eu
cd "$(dirname "$0")/../.."
place=$PWD/.build/aarch64
mkdir -p "$place/apt/lists/partial" "$place/cache/archives/partial" "$place/packages"

command -v qemu-aarch64 >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null && [ -e /usr/aarch64-linux-gnu/lib/libc.a ] ||
    sh Tests/Scripts/apt.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user

# The packages of arm64 are unpacked beside the build, with lists of their own: the system gets no second architecture.
arm64() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root -o "Dir::State=$place/apt" \
        -o "Dir::State::lists=$place/apt/lists" -o "Dir::State::status=$place/apt/status" -o "Dir::Cache=$place/cache" "$@"
}
library=$place/root/usr/lib/aarch64-linux-gnu
if [ ! -e "$library/libcrypto.a" ] || [ ! -e "$library/libsodium.a" ]; then
    : >"$place/apt/status"
    arm64 update
    (cd "$place/packages" && arm64 download libssl-dev libsodium-dev)
    for package in "$place"/packages/*.deb; do dpkg -x "$package" "$place/root"; done
fi

# The linker warns of functions of libcrypto that need glibc at run time, which the checker does not call.
"${CC:-clang}" --target=aarch64-linux-gnu --ld-path="$(command -v aarch64-linux-gnu-ld)" -std=gnu17 -O2 -static -Wall -Wextra -Werror \
    -DCJOSE_ACCELERATED -ICShims/CJOSEKernels/include -ICShims/CJOSEKernels/src -ICShims/CJOSEOpenSSL/include \
    -I"$place/root/usr/include" -I"$place/root/usr/include/aarch64-linux-gnu" \
    CShims/CJOSEKernels/src/*.c CShims/CJOSEOpenSSL/src/*.c Tests/Programs/KernelChecker/*.c \
    Tests/Programs/FormFromEnvironment/kernels.c -L"$library" -lsodium -lcrypto -pthread -ldl -o "$place/checker" 2>"$place/log" || {
    cat "$place/log" >&2
    exit 1
}
count=${1:-200}
seed=${2:-$(date +%s)}
for kernel in rsa p256 single; do BULLA_KERNELS=portable qemu-aarch64 "$place/checker" "$count" "$seed" $kernel; done
# A checker that would not see a wrong answer proves nothing.
if BULLA_KERNELS=portable qemu-aarch64 "$place/checker" --spoil 2000 "$seed" p256 >"$place/log" 2>&1; then
    echo "One result of a thousand was changed, and that was not detected." >&2
    exit 1
fi
echo "aarch64: all results of the portable kernels are libcrypto's; changed ones were detected."
