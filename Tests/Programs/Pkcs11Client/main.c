// A process that uses a PKCS#11 module, so that tests have a device outside of their own process. It reads a line and writes a
// line: a command and its arguments, "ok" and the result, or "error" and the module's number. Bytes are hexadecimal.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"

static char line[1 << 16];

static bytes argument(void) {
    bytes result = {{0}, 0};
    const char *word = strtok(NULL, " \n");
    if (word == NULL) return result;
    size_t digits = strlen(word);
    while (result.count < digits / 2 && result.count < sizeof result.at) {
        unsigned value = 0;
        if (sscanf(word + 2 * result.count, "%2x", &value) != 1) break;
        result.at[result.count++] = (unsigned char)value;
    }
    return result;
}

static void show(const bytes *given) {
    putchar(' ');
    for (size_t i = 0; i < given->count; i++) printf("%02x", given->at[i]);
}

static CK_ULONG answer(const char *command, bytes *first, bytes *second) {
    if (strcmp(command, "open") == 0) {
        char *path = strtok(NULL, " \n"), *label = strtok(NULL, " \n");
        char *so_pin = strtok(NULL, " \n"), *pin = strtok(NULL, " \n");
        return pin != NULL ? client_open(path, label, so_pin, pin) : client_usage;
    }
    if (strcmp(command, "login") == 0) {
        char *pin = strtok(NULL, " \n");
        return pin != NULL ? client_login(pin) : client_usage;
    }
    if (strcmp(command, "logout") == 0) return client_logout();
    bytes id = argument();
    bytes data = argument();
    if (strcmp(command, "rsa") == 0) return client_make_rsa(&id, first, second);
    if (strcmp(command, "ec") == 0) return client_make_ec(&id, &data, first);
    if (strcmp(command, "aes") == 0) return client_keep_aes(&id, &data);
    if (strcmp(command, "rs256") == 0) return client_sign(&id, client_rs256, &data, first);
    if (strcmp(command, "ps256") == 0) return client_sign(&id, client_ps256, &data, first);
    if (strcmp(command, "ecdsa") == 0) return client_sign(&id, client_ecdsa, &data, first);
    if (strcmp(command, "oaep") == 0) return client_decrypt_oaep(&id, &data, first);
    if (strcmp(command, "derive") == 0) return client_derive(&id, &data, first);
    if (strcmp(command, "unwrap") == 0) return client_unwrap(&id, &data, first);
    if (strcmp(command, "destroy") == 0) return client_destroy(&id);
    return client_usage;
}

int main(void) {
    setvbuf(stdin, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        bytes first = {{0}, 0}, second = {{0}, 0};
        const char *command = strtok(line, " \n");
        CK_ULONG status = command != NULL ? answer(command, &first, &second) : client_usage;
        if (status == 0) {
            printf("ok");
            show(&first);
            show(&second);
            putchar('\n');
        } else {
            printf("error %lu\n", status);
        }
        fflush(stdout);
    }
    client_close();
    return 0;
}
