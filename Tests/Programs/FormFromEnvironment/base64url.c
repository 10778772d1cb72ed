#include <stdlib.h>
#include <string.h>

#include "../../../CShims/CJOSEBytes/include/CJOSEBytes.h"

__attribute__((constructor)) static void choose_base64url(void) {
    static const struct {
        const char *name;
        cjose_form form;
    } known[] = {
        {"avx512", cjose_form_avx512}, {"avx2", cjose_form_avx2}, {"neon", cjose_form_neon},
        {"portable", cjose_form_portable}};
    const char *asked = getenv("BULLA_FORM");
    for (size_t i = 0; asked != NULL && i < sizeof known / sizeof *known; i++)
        if (strcmp(asked, known[i].name) == 0) (void)cjose_form_force(known[i].form);
}
