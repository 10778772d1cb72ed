#ifdef CJOSE_REDIS
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

/// Returns the bytes, or those of the file; null where neither is set, or the file does not exist.
static BIO *source(const cjose_redis *pool, cjose_redis_text bytes, cjose_redis_text file) {
    if (redis_has(pool, bytes)) {
        return pool->lengths[bytes] > INT_MAX ? NULL : BIO_new_mem_buf(pool->texts[bytes], (int)pool->lengths[bytes]);
    }
    return redis_has(pool, file) ? BIO_new_file(pool->texts[file], "r") : NULL;
}

static bool trust(cjose_redis *pool) {
    if (!redis_has(pool, cjose_redis_text_ca) && !redis_has(pool, cjose_redis_text_ca_file)) {
        return SSL_CTX_set_default_verify_paths(pool->tls) == 1;
    }
    BIO *from = source(pool, cjose_redis_text_ca, cjose_redis_text_ca_file);
    if (from == NULL) return false;
    X509_STORE *store = SSL_CTX_get_cert_store(pool->tls);
    int count = 0;
    X509 *certificate;
    bool works = true;
    while (works && (certificate = PEM_read_bio_X509(from, NULL, NULL, NULL)) != NULL) {
        works = X509_STORE_add_cert(store, certificate) == 1;
        X509_free(certificate);
        count++;
    }
    BIO_free(from);
    return works && count > 0;
}

static int passphrase(char *to, int size, int writes, void *context) {
    const cjose_redis *pool = context;
    (void)writes;
    size_t n = pool->lengths[cjose_redis_text_passphrase];
    // Without a passphrase, there is no prompt at a terminal.
    if (!redis_has(pool, cjose_redis_text_passphrase) || n > (size_t)size) return -1;
    memcpy(to, pool->texts[cjose_redis_text_passphrase], n);
    return (int)n;
}

static bool use_chain(cjose_redis *pool, BIO *from) {
    X509 *certificate = PEM_read_bio_X509_AUX(from, NULL, NULL, NULL);
    if (certificate == NULL) return false;
    bool works = SSL_CTX_use_certificate(pool->tls, certificate) == 1;
    X509_free(certificate);
    while (works && (certificate = PEM_read_bio_X509(from, NULL, NULL, NULL)) != NULL) {
        works = SSL_CTX_add0_chain_cert(pool->tls, certificate) == 1;
        if (!works) X509_free(certificate);
    }
    return works;
}

static bool identify(cjose_redis *pool) {
    if (!redis_has(pool, cjose_redis_text_certificate) && !redis_has(pool, cjose_redis_text_certificate_file)) return true;
    BIO *chain = source(pool, cjose_redis_text_certificate, cjose_redis_text_certificate_file);
    BIO *from = source(pool, cjose_redis_text_key, cjose_redis_text_key_file);
    EVP_PKEY *key = from == NULL ? NULL : PEM_read_bio_PrivateKey(from, NULL, passphrase, pool);
    bool works = chain != NULL && key != NULL && use_chain(pool, chain) && SSL_CTX_use_PrivateKey(pool->tls, key) == 1 &&
                 SSL_CTX_check_private_key(pool->tls) == 1;
    EVP_PKEY_free(key);
    BIO_free(from);
    BIO_free(chain);
    return works;
}

cjose_redis_status redis_tls_open(cjose_redis *pool) {
    pool->tls = SSL_CTX_new(TLS_client_method());
    if (pool->tls == NULL) return cjose_redis_status_backend;
    SSL_CTX_set_min_proto_version(pool->tls, TLS1_2_VERSION);
    SSL_CTX_set_verify(pool->tls, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(pool->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    bool works = trust(pool) && identify(pool);
    ERR_clear_error();
    return works ? cjose_redis_status_ok : cjose_redis_status_settings;
}

bool redis_tls_begin(redis_connection *connection) {
    const cjose_redis *pool = connection->pool;
    bool named = redis_has(pool, cjose_redis_text_server_name);
    const char *name = pool->texts[named ? cjose_redis_text_server_name : cjose_redis_text_host];
    connection->ssl = SSL_new(pool->tls);
    if (connection->ssl == NULL || SSL_set_fd(connection->ssl, connection->fd) != 1) return false;
    X509_VERIFY_PARAM *rules = SSL_get0_param(connection->ssl);
    bool works = X509_VERIFY_PARAM_set1_ip_asc(rules, name) == 1;
    if (!works) {
        X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        works = X509_VERIFY_PARAM_set1_host(rules, name, 0) == 1 && SSL_set_tlsext_host_name(connection->ssl, name) == 1;
    }
    ERR_clear_error();
    SSL_set_connect_state(connection->ssl);
    return works;
}

/// Returns the reason why the connection ended, and empties libssl's queue.
static cjose_redis_status tls_fault(const redis_connection *connection, cjose_redis_status otherwise) {
    long verdict = SSL_get_verify_result(connection->ssl);
    int reason = ERR_GET_REASON(ERR_peek_error());
    ERR_clear_error();
    if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH)
        return cjose_redis_status_tls_name;
    if (verdict != X509_V_OK) return cjose_redis_status_tls_untrusted;
    // These are alerts of the peer.
    return reason > SSL_AD_REASON_OFFSET ? cjose_redis_status_tls_refused : otherwise;
}

/// Whether the connection ended without an alert, as one does whose server ends.
static bool has_ended(const redis_connection *connection, int result) {
    int kind = SSL_get_error(connection->ssl, result);
    bool is_cut = false;
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
    is_cut = kind == SSL_ERROR_SSL && ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
#endif
    return is_cut || kind == SSL_ERROR_SYSCALL || kind == SSL_ERROR_ZERO_RETURN;
}

/// Returns 0 where the operation can be repeated later, and -1 where it failed.
static int tls_again(redis_connection *connection, int result) {
    int kind = SSL_get_error(connection->ssl, result);
    connection->wants_write = kind == SSL_ERROR_WANT_WRITE;
    return kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

int redis_tls_handshake(redis_connection *connection, cjose_redis_status *status) {
    ERR_clear_error();
    connection->wants_write = false;
    int result = SSL_do_handshake(connection->ssl);
    if (result == 1) return 1;
    if (tls_again(connection, result) == 0) return 0;
    // After a first success the configuration is right: the server, or what stands before it, is in a transition.
    bool may_pass = has_ended(connection, result) || connection->pool->health.connects > 0;
    *status = tls_fault(connection, may_pass ? cjose_redis_status_lost : cjose_redis_status_tls_handshake);
    return -1;
}

ssize_t redis_read(redis_connection *connection, void *to, size_t n, cjose_redis_status *status) {
    *status = cjose_redis_status_lost;
    if (connection->ssl != NULL) {
        size_t count = 0;
        ERR_clear_error();
        int result = SSL_read_ex(connection->ssl, to, n, &count);
        if (result == 1) return (ssize_t)count;
        if (tls_again(connection, result) == 0) return 0;
        *status = tls_fault(connection, cjose_redis_status_lost);
        return -1;
    }
    ssize_t count;
    do count = recv(connection->fd, to, n, 0);
    while (count < 0 && errno == EINTR);
    if (count > 0) return count;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : -1;
}

ssize_t redis_write(redis_connection *connection, const void *from, size_t n, cjose_redis_status *status) {
    *status = cjose_redis_status_lost;
    if (connection->ssl != NULL) {
        size_t count = 0;
        ERR_clear_error();
        connection->wants_write = false;
        int result = SSL_write_ex(connection->ssl, from, n, &count);
        if (result == 1) return (ssize_t)count;
        if (tls_again(connection, result) == 0) return 0;
        *status = tls_fault(connection, cjose_redis_status_lost);
        return -1;
    }
    ssize_t count;
    // SIGPIPE is blocked on this thread.
    do count = send(connection->fd, from, n, 0);
    while (count < 0 && errno == EINTR);
    if (count > 0) return count;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : -1;
}
#endif
