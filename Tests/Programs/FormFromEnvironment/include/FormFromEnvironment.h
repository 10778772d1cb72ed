#ifndef CJOSE_FORM_FROM_ENVIRONMENT_H
#define CJOSE_FORM_FROM_ENVIRONMENT_H
// A program that is linked with this target runs the forms that the environment names: `BULLA_FORM` (avx512, avx2, neon, portable) of
// base64url, and `BULLA_KERNELS` (ifma, portable, openssl) of the signature kernels. A form that the CPU lacks is passed over. The
// library itself reads no environment variable.
#endif
