// This package is always built with the trait `Accelerated`.
#define CJOSE_ACCELERATED
#include "../../../../Programs/FormFromEnvironment/base64url.c"
#include "../../../../Programs/FormFromEnvironment/kernels.c"
