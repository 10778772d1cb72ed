#if defined(CJOSE_ACCELERATED)
#include <stdlib.h>
#include <string.h>

#include "../../../CShims/CJOSEKernels/include/kernel_form.h"

__attribute__((constructor)) static void choose_kernels(void) {
    static const struct {
        const char *name;
        cjose_kernel_form form;
    } known[] = {
        {"ifma", cjose_kernel_form_ifma}, {"portable", cjose_kernel_form_portable},
        {"openssl", cjose_kernel_form_openssl}};
    const char *asked = getenv("BULLA_KERNELS");
    for (size_t i = 0; asked != NULL && i < sizeof known / sizeof *known; i++)
        if (strcmp(asked, known[i].name) == 0) (void)cjose_kernel_form_force(known[i].form);
}
#endif
