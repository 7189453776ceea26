#ifndef NETCHAINKIT_CURL_SHIM_H
#define NETCHAINKIT_CURL_SHIM_H

// libcurl's setters and getters are variadic, which Swift can't call. Each function here gives one of them one type.

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __linux__
#include <sys/socket.h>
// Glibc's module has neither of the next two.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#endif

#if LIBCURL_VERSION_NUM < 0x074a00
#error "NetChainKit needs libcurl 7.74 or newer"
#endif

// Names that an older libcurl does not have, and codes that it never returns.
#if LIBCURL_VERSION_NUM < 0x074d00
static const CURLcode CURLE_SSL_CLIENTCERT = (CURLcode)98;
#endif
#ifndef CURL_PREREQFUNC_OK
#define CURL_PREREQFUNC_OK 0
#define CURL_PREREQFUNC_ABORT 1
#endif

typedef size_t (*netchain_data_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*netchain_seek_function)(void *context, curl_off_t offset, int origin);
typedef int (*netchain_progress_function)(void *context, curl_off_t download_total, curl_off_t downloaded,
                                          curl_off_t upload_total, curl_off_t uploaded);

// A function of libcurl's TLS library; NULL if that library has none of this name. The process may have another TLS
// library, too, so libcurl's dependencies are searched, where libcurl is a shared library.
static inline void *netchain_tls_function(const char *name) {
    void *libcurl = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_NOLOAD);
    void *function = dlsym(libcurl, name);
    if (libcurl != NULL) dlclose(libcurl);
    return function;
}

// Initializes libcurl. OpenSSL must not free its memory at exit, because the threads of senders may still use it
// (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT).
static inline CURLcode netchain_global_init(void) {
    const uint64_t no_atexit = 0x00080000;
    int (*init_crypto)(uint64_t, const void *) =
        (int (*)(uint64_t, const void *))netchain_tls_function("OPENSSL_init_crypto");
    if (init_crypto != NULL) init_crypto(no_atexit, NULL);
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

static inline CURLcode netchain_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode netchain_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode netchain_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode netchain_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode netchain_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode netchain_set_data_function(CURL *easy, CURLoption option, netchain_data_function function) {
    return curl_easy_setopt(easy, option, function);
}

static inline CURLcode netchain_set_seek_function(CURL *easy, netchain_seek_function function) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}

static inline CURLcode netchain_set_progress_function(CURL *easy, netchain_progress_function function) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, function);
}

static inline void netchain_set_open_function(CURL *easy, curl_opensocket_callback open, void *context) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

static inline void netchain_set_close_function(CURL *easy, curl_closesocket_callback close, void *context) {
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
}

// libcurl calls it before each sending of a request, also when libcurl sends the request again by itself (7.80).
typedef int (*netchain_prerequest_function)(void *context, char *remote_address, char *local_address, int remote_port,
                                            int local_port);

static inline CURLcode netchain_set_prerequest_function(CURL *easy, netchain_prerequest_function function,
                                                        void *context) {
#if LIBCURL_VERSION_NUM >= 0x075000
    CURLcode result = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
    return result == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_PREREQDATA, context) : result;
#else
    return CURLE_UNKNOWN_OPTION;
#endif
}

typedef int (*netchain_debug_function)(CURL *easy, curl_infotype type, char *bytes, size_t count, void *context);

// Reports all data that libcurl sends and receives. Verbose mode makes libcurl format its messages, too, which takes
// time.
static inline CURLcode netchain_set_debug_function(CURL *easy, netchain_debug_function function, void *context) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, function);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    return result == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L) : result;
}

// Ending a transfer must not wait for the thread of a name lookup (7.87).
static inline void netchain_leave_lookups_alone(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

static inline CURLcode netchain_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode netchain_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode netchain_get_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, (char **)value);
}

static inline CURLcode netchain_get_list(CURL *easy, CURLINFO info, struct curl_slist **value) {
    return curl_easy_getinfo(easy, info, value);
}

// Whether the TLS server of a transfer in progress has sent close_notify (RFC 8446 §6.1). libcurl accepts a closed
// connection without it. GnuTLS fails the transfer by itself, so the result is 1. With other libraries it is unknown: 0.
static inline int netchain_has_close_notify(CURL *easy) {
    const int received_shutdown = 2;  // SSL_RECEIVED_SHUTDOWN
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return 0;
    if (session->backend == CURLSSLBACKEND_GNUTLS) return 1;
    if (session->backend != CURLSSLBACKEND_OPENSSL || session->internals == NULL) return 0;
    int (*get_shutdown)(const void *) = (int (*)(const void *))netchain_tls_function("SSL_get_shutdown");
    return get_shutdown != NULL && (get_shutdown(session->internals) & received_shutdown) != 0;
}

// Whether the TLS server of a transfer in progress has requested a client certificate. OpenSSL keeps the signature
// algorithms of the request (SSL_get_sigalgs(3), RFC 8446 §4.3.2). With other libraries than these two it is unknown: 0.
static inline int netchain_has_certificate_request(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return 0;
    if (session->internals == NULL) return 0;
    if (session->backend == CURLSSLBACKEND_OPENSSL) {
        int (*get_algorithms)(void *, int, int *, int *, int *, unsigned char *, unsigned char *) =
            (int (*)(void *, int, int *, int *, int *, unsigned char *, unsigned char *))netchain_tls_function(
                "SSL_get_sigalgs");
        return get_algorithms != NULL && get_algorithms(session->internals, -1, NULL, NULL, NULL, NULL, NULL) > 0;
    }
    if (session->backend == CURLSSLBACKEND_GNUTLS) {
        unsigned (*get_status)(void *) =
            (unsigned (*)(void *))netchain_tls_function("gnutls_certificate_client_get_request_status");
        return get_status != NULL && get_status(session->internals) != 0;
    }
    return 0;
}

// Whether TLS has decrypted bytes of the connection that a transfer is attached to, and libcurl has not read them. The
// functions are SSL_pending(3) and gnutls_record_check_pending(3), where the process has them.
static inline int netchain_has_decrypted_bytes(CURL *easy, void *openssl, void *gnutls) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return 0;
    if (session->internals == NULL) return 0;
    if (session->backend == CURLSSLBACKEND_OPENSSL && openssl != NULL) {
        return ((int (*)(const void *))openssl)(session->internals) > 0;
    }
    if (session->backend == CURLSSLBACKEND_GNUTLS && gnutls != NULL) {
        return ((size_t (*)(void *))gnutls)(session->internals) > 0;
    }
    return 0;
}

// The TLS session of the connection that a transfer is attached to, as a pointer of the TLS library; NULL for none.
static inline const void *netchain_tls_session(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return NULL;
    return session->internals;
}

static inline CURLMcode netchain_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode netchain_multi_set_socket_function(CURLM *multi, curl_socket_callback function, void *context) {
    CURLMcode result = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
    return result == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context) : result;
}

static inline CURLMcode netchain_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback function,
                                                          void *context) {
    CURLMcode result = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
    return result == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context) : result;
}

// Has libcurl visit each transfer of a multi handle once and report their sockets. curl_multi_socket_all is deprecated,
// because a program should name the sockets that have events; no other function visits a transfer without a socket, or
// each only once.
static inline CURLMcode netchain_multi_visit_all(CURLM *multi, int *running) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return curl_multi_socket_all(multi, running);
#pragma GCC diagnostic pop
}

static inline CURLSHcode netchain_share_cookies(CURLSH *share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}

// Shares TLS sessions, so that a new connection resumes one. A libcurl without TLS has none.
static inline CURLSHcode netchain_share_tls_sessions(CURLSH *share) {
    CURLSHcode result = curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    return result == CURLSHE_NOT_BUILT_IN ? CURLSHE_OK : result;
}

// Allows only http and https, for requests and redirects. The option that has replaced this one in 7.85 parses a text, for
// 1 % of the instructions of a small request.
static inline CURLcode netchain_restrict_schemes(CURL *easy) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#pragma GCC diagnostic pop
}

// libcurl's cache of parsed authorities works only if no certificate directory is set besides the file. Debian's build
// sets both by default, and the file is sufficient. Versions before 7.84 don't report the file and keep both.
static inline CURLcode netchain_use_authority_file_alone(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075400
    char *file = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_CAINFO, &file) == CURLE_OK && file != NULL) {
        return curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    }
#endif
    return CURLE_OK;
}

// Sets the calling thread's name, for debuggers and ps(1). prctl(2) is variadic, and pthread_setname_np(3) needs
// _GNU_SOURCE.
static inline void netchain_name_thread(const char *name) {
#ifdef __linux__
    prctl(PR_SET_NAME, name, 0, 0, 0);
#endif
}

// Limits the age of connections that are used again (7.80).
static inline void netchain_limit_connection_lifetime(CURL *easy, long seconds) {
#if LIBCURL_VERSION_NUM >= 0x075000
    curl_easy_setopt(easy, CURLOPT_MAXLIFETIME_CONN, seconds);
#endif
}

#endif
