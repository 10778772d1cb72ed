#ifndef CALLGRIND_COUNTS_H
#define CALLGRIND_COUNTS_H
#include <stdbool.h>

#pragma clang assume_nonnull begin

/// Begins to count instructions. False where callgrind does not run this process, or where its header was missing at the build.
bool counts_begin(void);
/// Resets the counts.
void counts_zero(void);
/// Writes the counts since `counts_zero` to the next file of the run, with this title.
void counts_write(const char *title);

#pragma clang assume_nonnull end
#endif
