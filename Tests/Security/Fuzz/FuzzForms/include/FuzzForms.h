#ifndef CJOSE_FUZZ_FORMS_H
#define CJOSE_FUZZ_FORMS_H
// The fuzz program runs the forms that the environment names: see Tests/Programs/FormFromEnvironment.
#endif
