#ifndef CJOSE_LANES_H
#define CJOSE_LANES_H
// Signatures checked many at once, of public values only: variable time, tables by key and vectors are all allowed here, and
// nothing that is secret may come near.
#include "lanes_form.h"
#include "lanes_p256.h"
#include "lanes_rsa.h"
#endif
