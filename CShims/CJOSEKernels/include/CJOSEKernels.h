#ifndef CJOSE_KERNELS_H
#define CJOSE_KERNELS_H
// Signatures checked many at once, of public values only: variable time, tables by key and vectors are all allowed here, and
// nothing that is secret may come near.
#include "kernel_form.h"
#include "kernel_p256.h"
#include "kernel_rsa.h"
#endif
