#ifndef PRIVATE_MARKS_H
#define PRIVATE_MARKS_H
#include <stdbool.h>
#include <stddef.h>

/// Mark bytes as secret, for MemorySanitizer or memcheck: a branch on them, or an address made of them, ends the process with 9.
void mark_secret(const void *at, size_t n);
void mark_public(const void *at, size_t n);
/// Returns whether all bytes depend on secrets.
bool is_marked(const void *at, size_t n);
/// Returns whether marks have an effect in this process.
bool marks_work(void);

/// Deliberate leaks, on lanes that are secret. Each must be found.
extern void (*const leaks[])(const void *secret);
extern const char *const leak_names[];
extern const int leak_count;
#endif
