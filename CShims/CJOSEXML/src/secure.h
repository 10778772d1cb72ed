#include <xmlsec/keys.h>

#include "internal.h"

/// Returns the key in the form of xmlsec, with the same `EVP_PKEY`; null where memory runs out. It is freed with
/// `xmlSecKeyDestroy`.
xmlSecKeyPtr cjose_xml_adopt(const cjose_xml_key *key);
