#ifndef CALLGRIND_COUNTS_H
#define CALLGRIND_COUNTS_H
#include <stdbool.h>

#pragma clang assume_nonnull begin

/// Begins to count instructions. False where callgrind does not run this process, or where its header was not there when this was built.
bool counts_begin(void);
/// Forgets what was counted.
void counts_zero(void);
/// Writes what was counted since `counts_zero` to the next file of the run, under this title.
void counts_write(const char *title);

#pragma clang assume_nonnull end
#endif
