#ifndef MARKS_H
#define MARKS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns whether memory can be marked, that is, whether the program runs under memcheck.
bool marks_work(void);
/// Marks the bytes as secret: memcheck reports a branch on them, and an address computed from them.
void hide(const void *at, size_t n);
/// Marks the bytes as public.
void show(const void *at, size_t n);
/// Returns whether all bytes are still secret, as they must be if the secret passed through the called function.
bool hidden(const void *at, size_t n);
#endif
