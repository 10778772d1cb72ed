#ifndef MARKS_H
#define MARKS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether memory can be marked: the program runs under memcheck.
bool marks_work(void);
/// From here on these bytes are a secret: a branch on them, or an address made of them, is reported.
void hide(const void *at, size_t n);
/// They may be known.
void show(const void *at, size_t n);
/// Whether all of the bytes are secret still, which they must be if the secret went through what was called.
bool hidden(const void *at, size_t n);
#endif
