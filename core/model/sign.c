/*
 * sign.c -- who wrote a saved model, for those who run machine code of it. In: the whole file and a key. Out: its
 * signature, HMAC-SHA256 of all of its bytes with zeros where the signature stands; and whether one holds.
 */
#include "base/sha256.h"
#include "model.h"

#include <string.h>

static void mac_of(const char *bytes, size_t n, const void *key, size_t key_bytes, uint8_t out[SHA256_BYTES]) {
    static const uint8_t none[SHA256_BYTES];
    const size_t end = MODEL_SIGN + SHA256_BYTES;
    Sha256Mac m;
    sha256_mac_begin(&m, key, key_bytes);
    sha256_put(&m.inner, bytes, MODEL_SIGN);
    sha256_put(&m.inner, none, sizeof none);
    sha256_put(&m.inner, bytes + end, n - end);
    sha256_mac_end(&m, out);
}

void model_sign(char *bytes, size_t n, const void *key, size_t key_bytes) {
    uint8_t mac[SHA256_BYTES];
    mac_of(bytes, n, key, key_bytes, mac);
    memcpy(bytes + MODEL_SIGN, mac, sizeof mac);
}

ModelSigned model_signed(const char *bytes, size_t n, const void *key, size_t key_bytes) {
    static const uint8_t none[SHA256_BYTES];
    uint8_t has[SHA256_BYTES], mac[SHA256_BYTES];
    if (n < MODEL_HEAD) return MODEL_UNSIGNED;
    memcpy(has, bytes + MODEL_SIGN, sizeof has);
    if (sha256_same(has, none)) return MODEL_UNSIGNED;
    mac_of(bytes, n, key, key_bytes, mac);
    return sha256_same(has, mac) ? MODEL_SIGNED : MODEL_FORGED;
}

void model_native_tag(char tag[MODEL_TAG + 1], int i) {
    memcpy(tag, "native-", 7);
    tag[7] = (char)('0' + i + NATIVE_FIRST);
    tag[MODEL_TAG] = 0;
}

int model_level(const char *name) {
    static const char *const level[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    for (int i = 0; name && i < TH_LEN(level); i++)
        if (!strcmp(name, level[i])) return i + NATIVE_FIRST;
    return -1;
}
