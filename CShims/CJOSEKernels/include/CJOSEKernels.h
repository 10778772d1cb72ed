#ifndef CJOSE_KERNELS_H
#define CJOSE_KERNELS_H
// Verification of many signatures at once and of single ones, with public values only: variable time, tables of keys and vectors are
// allowed here, and no secret may be passed in.
#include "kernel_batch.h"
#include "kernel_ed25519.h"
#include "kernel_form.h"
#include "kernel_p256.h"
#include "kernel_rsa.h"
#endif
