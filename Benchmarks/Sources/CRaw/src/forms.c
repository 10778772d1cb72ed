// The benchmarks are always built with the trait `Accelerated`.
#define CJOSE_ACCELERATED
#include "../../../../Tests/Programs/FormFromEnvironment/base64url.c"
#include "../../../../Tests/Programs/FormFromEnvironment/kernels.c"
