#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *fixture_folder;
char *payload;
size_t payload_count;
json_t *claims;

char *fixture(const char *name, size_t *n) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", fixture_folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    size_t count = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(1, count + 1);
    if (fread(bytes, 1, count, file) != count) exit(2);
    fclose(file);
    if (n) *n = count;
    return bytes;
}

char *fixture_key(const char *alg, const char *kind, size_t *n) {
    char name[256];
    snprintf(name, sizeof name, "keys/%s.%s", alg, kind);
    char *bytes = fixture(name, n);
    if (bytes) return bytes;
    snprintf(name, sizeof name, "keys/%s.%s", alg, strchr(kind, '.') + 1);
    return fixture(name, n);
}

static const char *text(json_t *object, const char *name) { return json_string_value(json_object_get(object, name)); }

static bool same(json_t *object, const char *name) {
    const char *value = text(object, name);
    return value && !strcmp(value, text(claims, name));
}

bool claims_hold(const void *json, size_t n) {
    json_t *held = json_loadb(json, n, 0, NULL);
    if (!held) return false;
    json_t *exp = json_object_get(held, "exp"), *nbf = json_object_get(held, "nbf");
    time_t now = time(NULL);
    bool ok = same(held, "iss") && same(held, "aud") && same(held, "sub") && json_is_integer(exp) && json_is_integer(nbf)
        && now < json_integer_value(exp) && now >= json_integer_value(nbf);
    json_decref(held);
    return ok;
}
