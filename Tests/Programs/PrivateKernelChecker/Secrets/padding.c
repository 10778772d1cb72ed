// The padding of RSA-OAEP by itself is deprecated in libcrypto.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <string.h>

#include "../../../../CShims/CJOSEPrivateKernels/src/private_internal.h"
#include "../../KernelChecker/dice.h"
#include "marks.h"

// Decrypts texts by the kernels' own code, with the functions of libcrypto that it calls replaced: the stand-in for the removal of the
// padding, which libcrypto does in constant time, returns a text and a length that are secret, for right paddings and wrong ones.

enum { TEXT = 32 };
// One of them differs from the right one by 256, and one is all that fits.
static const int lengths[] = {TEXT, -1, TEXT - 1, TEXT + 1, 0, TEXT + 256, PRIVATE_BYTES};
enum { TEXTS = sizeof lengths / sizeof *lengths };
static uint8_t texts[TEXTS][PRIVATE_BYTES];
static size_t removed;

static const char digests[4];
const EVP_MD *EVP_sha1(void) { return (const EVP_MD *)&digests[0]; }
const EVP_MD *EVP_sha256(void) { return (const EVP_MD *)&digests[1]; }
const EVP_MD *EVP_sha384(void) { return (const EVP_MD *)&digests[2]; }
const EVP_MD *EVP_sha512(void) { return (const EVP_MD *)&digests[3]; }
void ERR_clear_error(void) {}

int RSA_padding_check_PKCS1_OAEP_mgf1(
    unsigned char *to, int capacity, const unsigned char *from, int n, int size, const unsigned char *label, int label_size,
    const EVP_MD *md, const EVP_MD *mgf1md) {
    (void)label;
    if (n != size || capacity != PRIVATE_BYTES || label_size != 0 || md != EVP_sha256() || mgf1md != md)
        fail("the padding is removed with other arguments");
    if (!is_marked(from, (size_t)n)) fail("an encoded text is not secret any more");
    if (removed == TEXTS) fail("the padding of more texts is removed");
    int made = lengths[removed];
    if (made > 0) memcpy(to, texts[removed], (size_t)made);
    mark_secret(to, (size_t)capacity);
    mark_secret(&made, sizeof made);
    removed++;
    return made;
}

void decrypt_texts(cjose_private_rsa_key *key) {
    static uint8_t inputs[TEXTS][PRIVATE_BYTES], outputs[TEXTS][PRIVATE_BYTES];
    cjose_private_rsa_key *keys[TEXTS];
    const uint8_t *ins[TEXTS];
    uint8_t *outs[TEXTS], results[TEXTS];
    dice dice = {2};
    for (size_t i = 0; i < TEXTS; i++) {
        dice_fill(&dice, inputs[i], key->bytes);
        inputs[i][0] &= 0x7F;
        dice_fill(&dice, texts[i], sizeof texts[i]);
        memset(outputs[i], 0xA5, sizeof outputs[i]);
        keys[i] = key, ins[i] = inputs[i], outs[i] = outputs[i];
    }
    removed = 0;
    cjose_private_oaep_decrypt(cjose_private_oaep_sha256, keys, ins, TEXTS, outs, TEXT, results);
    if (removed != TEXTS) fail("the padding of %d texts was removed, of %d", (int)removed, (int)TEXTS);
    for (size_t i = 0; i < TEXTS; i++) {
        // Whether a text was right is as secret as the text: the caller decides, in constant time.
        if (!is_marked(outputs[i], TEXT)) fail("a text is not secret any more");
        if (!is_marked(&results[i], 1)) fail("whether a text is right is not secret any more");
        mark_public(outputs[i], sizeof outputs[i]), mark_public(&results[i], 1);
        bool is_right = lengths[i] == TEXT;
        if (results[i] != (is_right ? cjose_private_valid : cjose_private_invalid))
            fail("a text of %d bytes: another result", lengths[i]);
        for (size_t j = 0; j < sizeof outputs[i]; j++)
            if (outputs[i][j] != (is_right && j < TEXT ? texts[i][j] : 0xA5)) fail("a text of %d bytes: another text", lengths[i]);
    }
}
