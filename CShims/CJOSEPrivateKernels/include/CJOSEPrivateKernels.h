#ifndef CJOSE_PRIVATE_KERNELS_H
#define CJOSE_PRIVATE_KERNELS_H

// The one header of the private-key kernels: operations with private RSA keys for several tokens at once. Without the package
// trait Accelerated it declares functions that do not exist.
#include "private_rsa.h"
#endif
