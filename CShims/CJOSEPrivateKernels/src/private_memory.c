#if defined(CJOSE_ACCELERATED)
#if defined(__x86_64__) || defined(CJOSE_LANES_OF_WORDS)
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "private_internal.h"

void private_wipe(void *memory, size_t size) {
    memset(memory, 0, size);
    // The compiler cannot know that nothing reads the zeros.
    __asm__ volatile("" : : "r"(memory) : "memory");
}

static size_t whole_pages(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

void *private_memory_new(size_t size, bool is_wiped_on_fork) {
    void *memory = mmap(NULL, whole_pages(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    // Where the limit of locked memory is reached, the pages can be swapped out.
    (void)mlock(memory, whole_pages(size));
#if defined(MADV_DONTDUMP)
    (void)madvise(memory, whole_pages(size), MADV_DONTDUMP);
#endif
#if defined(MADV_WIPEONFORK)
    if (is_wiped_on_fork) (void)madvise(memory, whole_pages(size), MADV_WIPEONFORK);
#endif
    return memory;
}

void private_memory_free(void *memory, size_t size) {
    if (memory == NULL) return;
    private_wipe(memory, size);
    (void)munmap(memory, whole_pages(size));
}

/// The memory of passes that no thread uses. Each slot is taken and given by one atomic exchange: nothing is locked
/// when a process forks.
enum { PLACES = 64 };
static _Atomic(private_work *) works[PLACES];

private_work *private_work_take(void) {
    for (size_t i = 0; i < PLACES; i++) {
        if (atomic_load_explicit(&works[i], memory_order_relaxed) == NULL) continue;
        private_work *work = atomic_exchange_explicit(&works[i], NULL, memory_order_acquire);
        if (work != NULL) return work;
    }
    return private_memory_new(sizeof(private_work), true);
}

void private_work_give(private_work *work) {
    private_wipe(work, sizeof *work);
    for (size_t i = 0; i < PLACES; i++) {
        private_work *none = NULL;
        if (atomic_compare_exchange_strong_explicit(
                &works[i], &none, work, memory_order_release, memory_order_relaxed))
            return;
    }
    private_memory_free(work, sizeof *work);
}

#if defined(CJOSE_LANES_OF_WORDS)
static void wipe_registers(void) {}
#else
IFMA static void wipe_registers(void) {
    __asm__ volatile(
        "vzeroall\n\t"
        "vpxorq %%zmm16, %%zmm16, %%zmm16\n\tvpxorq %%zmm17, %%zmm17, %%zmm17\n\tvpxorq %%zmm18, %%zmm18, %%zmm18\n\t"
        "vpxorq %%zmm19, %%zmm19, %%zmm19\n\tvpxorq %%zmm20, %%zmm20, %%zmm20\n\tvpxorq %%zmm21, %%zmm21, %%zmm21\n\t"
        "vpxorq %%zmm22, %%zmm22, %%zmm22\n\tvpxorq %%zmm23, %%zmm23, %%zmm23\n\tvpxorq %%zmm24, %%zmm24, %%zmm24\n\t"
        "vpxorq %%zmm25, %%zmm25, %%zmm25\n\tvpxorq %%zmm26, %%zmm26, %%zmm26\n\tvpxorq %%zmm27, %%zmm27, %%zmm27\n\t"
        "vpxorq %%zmm28, %%zmm28, %%zmm28\n\tvpxorq %%zmm29, %%zmm29, %%zmm29\n\tvpxorq %%zmm30, %%zmm30, %%zmm30\n\t"
        "vpxorq %%zmm31, %%zmm31, %%zmm31\n\t"
        "kxorq %%k1, %%k1, %%k1\n\tkxorq %%k2, %%k2, %%k2\n\tkxorq %%k3, %%k3, %%k3\n\tkxorq %%k4, %%k4, %%k4\n\t"
        "kxorq %%k5, %%k5, %%k5\n\tkxorq %%k6, %%k6, %%k6\n\tkxorq %%k7, %%k7, %%k7"
        :
        :
        : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
          "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",
          "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
          "memory");
}
#endif

__attribute__((noinline)) void private_wipe_traces(void) {
    // More than a pass and its kernels take below the frame of the caller: objects.py bounds the frame of each kernel.
    // Without optimization each number of the unrolled arithmetic has storage of its own.
#if defined(__OPTIMIZE__)
    uint8_t stack[16384];
#else
    uint8_t stack[65536];
#endif
    private_wipe(stack, sizeof stack);
    wipe_registers();
}

/// The number of forks before this process, so that a child that has the number of an older process is told apart from
/// it.
static _Atomic(uint64_t) forks = 0;
static void count_fork(void) { atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed); }
static void watch_forks(void) { (void)pthread_atfork(NULL, NULL, count_fork); }

private_blinding *private_blinding_take(cjose_private_rsa_key *key) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_forks);
    private_blinding *blinding = NULL;
    for (size_t i = 0; i < PRIVATE_BLINDINGS && blinding == NULL; i++) {
        if (atomic_load_explicit(&key->blindings[i], memory_order_relaxed) == NULL) continue;
        blinding = atomic_exchange_explicit(&key->blindings[i], NULL, memory_order_acquire);
    }
    pid_t process = getpid();
    uint64_t generation = atomic_load_explicit(&forks, memory_order_relaxed);
    if (blinding != NULL && blinding->process == process && blinding->generation == generation) return blinding;
    if (blinding == NULL) blinding = private_memory_new(sizeof *blinding, true);
    if (blinding == NULL) return NULL;
    blinding->process = process, blinding->generation = generation;
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) blinding->pairs[i].uses = PRIVATE_BLINDING_USES;
    return blinding;
}

void private_blinding_give(cjose_private_rsa_key *key, private_blinding *blinding) {
    for (size_t i = 0; i < PRIVATE_BLINDINGS; i++) {
        private_blinding *none = NULL;
        if (atomic_compare_exchange_strong_explicit(
                &key->blindings[i], &none, blinding, memory_order_release, memory_order_relaxed))
            return;
    }
    private_memory_free(blinding, sizeof *blinding);
}
#endif
#endif
