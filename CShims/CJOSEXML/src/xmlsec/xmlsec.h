// These files forward to xmlsec's headers, which include one another as <xmlsec/…> and lie in the folder xmlsec1. Its pkg-config file
// names that folder, but also defines that no package may take from there: each build would warn.
#include <xmlsec1/xmlsec/xmlsec.h>
