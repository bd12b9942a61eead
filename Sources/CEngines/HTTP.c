#include "CEngines.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// libcurl's option numbers (https://curl.se/libcurl/c/, curl.h): plain for a long, plus 10000 for a
// pointer, plus 20000 for a function.
enum {
    OPT_WRITEDATA = 10001,
    OPT_URL = 10002,
    OPT_USERPWD = 10005,
    OPT_ERRORBUFFER = 10010,
    OPT_WRITEFUNCTION = 20011,
    OPT_POSTFIELDS = 10015,
    OPT_USERAGENT = 10018,
    OPT_HTTPHEADER = 10023,
    OPT_HEADERDATA = 10029,
    OPT_POST = 47,
    OPT_POSTFIELDSIZE = 60,
    OPT_CAINFO = 10065,
    OPT_HEADERFUNCTION = 20079,
    OPT_HTTPGET = 80,
    OPT_NOSIGNAL = 99,
    OPT_TIMEOUT_MS = 155,
    OPT_CONNECTTIMEOUT_MS = 156,
    INFO_RESPONSE_CODE = 0x200002,
    MESSAGE_DONE = 1,
    ERROR_SIZE = 256,
    PEER_FAILED_VERIFICATION = 60,
    SSL_CACERT_BADFILE = 77,
    KEPT = 65536,
};

typedef struct slist slist;
typedef struct {
    int kind;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
} message;
typedef struct {
    int fd;
    short events, revents;
} waitfd;

static struct {
    int (*global_init)(long);
    void *(*easy_init)(void);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    const char *(*easy_strerror)(int);
    void (*easy_cleanup)(void *);
    slist *(*slist_append)(slist *, const char *);
    void (*slist_free_all)(slist *);
    void *(*multi_init)(void);
    int (*multi_add)(void *, void *);
    int (*multi_remove)(void *, void *);
    int (*multi_perform)(void *, int *);
    int (*multi_poll)(void *, waitfd *, unsigned, int, int *);
    message *(*multi_info_read)(void *, int *);
    int (*multi_cleanup)(void *);
} curl;

// zlib.h's z_stream, whose layout has not changed since 1995.
typedef struct {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *msg;
    void *state, *zalloc, *zfree, *opaque;
    int data_type;
    unsigned long adler, reserved;
} zstream;

static struct {
    int (*init)(zstream *, int, int, int, int, int, const char *, int);
    int (*deflate)(zstream *, int);
    int (*end)(zstream *);
} zlib;

static int load(void *library, const char *name, void *place) {
    void *found = dlsym(library, name);
    memcpy(place, &found, sizeof found);
    return found ? 0 : -1;
}

int eng_http_open(void) {
    static int done;
    if (done) return 0;
    void *lib = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!lib) lib = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    void *z = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!lib || !z) return -1;
    if (load(lib, "curl_global_init", &curl.global_init)
        || load(lib, "curl_easy_init", &curl.easy_init)
        || load(lib, "curl_easy_setopt", &curl.easy_setopt)
        || load(lib, "curl_easy_getinfo", &curl.easy_getinfo)
        || load(lib, "curl_easy_strerror", &curl.easy_strerror)
        || load(lib, "curl_easy_cleanup", &curl.easy_cleanup)
        || load(lib, "curl_slist_append", &curl.slist_append)
        || load(lib, "curl_slist_free_all", &curl.slist_free_all)
        || load(lib, "curl_multi_init", &curl.multi_init)
        || load(lib, "curl_multi_add_handle", &curl.multi_add)
        || load(lib, "curl_multi_remove_handle", &curl.multi_remove)
        || load(lib, "curl_multi_perform", &curl.multi_perform)
        || load(lib, "curl_multi_poll", &curl.multi_poll)
        || load(lib, "curl_multi_info_read", &curl.multi_info_read)
        || load(lib, "curl_multi_cleanup", &curl.multi_cleanup)
        || load(z, "deflateInit2_", &zlib.init) || load(z, "deflate", &zlib.deflate)
        || load(z, "deflateEnd", &zlib.end))
        return -1;
    if (curl.global_init(3)) return -1;  // CURL_GLOBAL_ALL
    done = 1;
    return 0;
}

struct eng_http {
    void *easy, *multi;
    slist *headers;
    int is_added, result;
    long status;
    char error[ERROR_SIZE];
    char retry_after[64];
    char *body;
    size_t size;
    eng_http_taker take;
    void *context;
};

static size_t take_body(char *bytes, size_t one, size_t count, void *context) {
    eng_http *http = context;
    size_t size = one * count;
    if (http->take) {
        http->take(http->context, bytes, size);
        return size;
    }
    size_t room = KEPT - http->size;
    size_t kept = size < room ? size : room;
    memcpy(http->body + http->size, bytes, kept);
    http->size += kept;
    return size;
}

static size_t take_header(char *bytes, size_t one, size_t count, void *context) {
    eng_http *http = context;
    size_t size = one * count;
    static const char name[] = "retry-after:";
    size_t length = sizeof name - 1;
    if (size > length && !strncasecmp(bytes, name, length)) {
        size_t rest = size - length;
        if (rest >= sizeof http->retry_after) rest = sizeof http->retry_after - 1;
        memcpy(http->retry_after, bytes + length, rest);
        http->retry_after[rest] = 0;
    }
    return size;
}

eng_http *eng_http_new(void) {
    eng_http *http = calloc(1, sizeof *http);
    if (!http) return NULL;
    http->easy = curl.easy_init();
    http->multi = curl.multi_init();
    http->body = malloc(KEPT);
    if (!http->easy || !http->multi || !http->body) {
        eng_http_free(http);
        return NULL;
    }
    return http;
}

void eng_http_free(eng_http *http) {
    if (!http) return;
    eng_http_cancel(http);
    if (http->easy) curl.easy_cleanup(http->easy);
    if (http->multi) curl.multi_cleanup(http->multi);
    curl.slist_free_all(http->headers);
    free(http->body);
    free(http);
}

int eng_http_setup(
    eng_http *http, const char *user_agent, const char *ca_file, const char *user_password,
    long connect_timeout_ms, long timeout_ms) {
    void *easy = http->easy;
    // Certificate and host name are verified: these are libcurl's defaults, which we do not change.
    if (curl.easy_setopt(easy, OPT_NOSIGNAL, 1L)
        || curl.easy_setopt(easy, OPT_USERAGENT, user_agent)
        || curl.easy_setopt(easy, OPT_CONNECTTIMEOUT_MS, connect_timeout_ms)
        || curl.easy_setopt(easy, OPT_TIMEOUT_MS, timeout_ms)
        || curl.easy_setopt(easy, OPT_ERRORBUFFER, http->error)
        || curl.easy_setopt(easy, OPT_WRITEFUNCTION, take_body)
        || curl.easy_setopt(easy, OPT_WRITEDATA, http)
        || curl.easy_setopt(easy, OPT_HEADERFUNCTION, take_header)
        || curl.easy_setopt(easy, OPT_HEADERDATA, http))
        return -1;
    if (ca_file && curl.easy_setopt(easy, OPT_CAINFO, ca_file)) return -1;
    if (user_password && curl.easy_setopt(easy, OPT_USERPWD, user_password)) return -1;
    return 0;
}

int eng_http_begin(
    eng_http *http, const char *url, const char *const *headers, size_t count, const void *body,
    size_t size) {
    eng_http_cancel(http);
    curl.slist_free_all(http->headers);
    http->headers = NULL;
    // Do not ask before sending a large body, because not every server answers that.
    slist *list = curl.slist_append(NULL, "Expect:");
    for (size_t i = 0; list && i < count; i++) {
        slist *longer = curl.slist_append(list, headers[i]);
        if (!longer) curl.slist_free_all(list);
        list = longer;
    }
    if (!list) return -1;
    http->headers = list;
    http->status = 0;
    http->result = 0;
    http->error[0] = 0;
    http->retry_after[0] = 0;
    http->size = 0;
    void *easy = http->easy;
    if (curl.easy_setopt(easy, OPT_URL, url) || curl.easy_setopt(easy, OPT_HTTPHEADER, list)) return -1;
    if (body) {
        if (curl.easy_setopt(easy, OPT_POST, 1L)
            || curl.easy_setopt(easy, OPT_POSTFIELDSIZE, (long)size)
            || curl.easy_setopt(easy, OPT_POSTFIELDS, body))
            return -1;
    } else if (curl.easy_setopt(easy, OPT_HTTPGET, 1L)) {
        return -1;
    }
    if (curl.multi_add(http->multi, easy)) return -1;
    http->is_added = 1;
    int running;
    return curl.multi_perform(http->multi, &running) ? -1 : 0;
}

int eng_http_drive(eng_http *http, int fd, int timeout_ms) {
    for (;;) {
        int running = 0, left = 0, ready = 0;
        if (curl.multi_perform(http->multi, &running)) return -1;
        message *found = curl.multi_info_read(http->multi, &left);
        if (found && found->kind == MESSAGE_DONE) {
            http->result = found->data.result;
            if (!http->result) curl.easy_getinfo(http->easy, INFO_RESPONSE_CODE, &http->status);
            eng_http_cancel(http);
            return 1;
        }
        if (!running) return -1;
        waitfd extra = {fd, 1, 0};  // CURL_WAIT_POLLIN
        if (curl.multi_poll(http->multi, &extra, fd >= 0, timeout_ms, &ready)) return -1;
        if ((fd >= 0 && extra.revents) || !ready) return 0;
    }
}

void eng_http_cancel(eng_http *http) {
    if (!http->is_added) return;
    curl.multi_remove(http->multi, http->easy);
    http->is_added = 0;
}

long eng_http_status(const eng_http *http) { return http->status; }

const char *eng_http_error(const eng_http *http) {
    return http->error[0] ? http->error : curl.easy_strerror(http->result);
}

int eng_http_is_certificate_fault(const eng_http *http) {
    return http->result == PEER_FAILED_VERIFICATION || http->result == SSL_CACERT_BADFILE;
}

const char *eng_http_body(const eng_http *http, size_t *size) {
    *size = http->size;
    return http->body;
}

const char *eng_http_retry_after(const eng_http *http) { return http->retry_after; }

void eng_http_take(eng_http *http, eng_http_taker take, void *context) {
    http->take = take;
    http->context = context;
}

size_t eng_gzip(const void *bytes, size_t size, void *output, size_t room) {
    zstream stream;
    memset(&stream, 0, sizeof stream);
    // 15 + 16: gzip's header and check; 8 = deflate, memory level 8.
    if (!zlib.init || zlib.init(&stream, 1, 8, 31, 8, 0, "1.2.11", sizeof stream)) return 0;
    stream.next_in = bytes;
    stream.avail_in = (unsigned)size;
    stream.next_out = output;
    stream.avail_out = (unsigned)room;
    int result = zlib.deflate(&stream, 4);  // Z_FINISH
    size_t made = stream.total_out;
    zlib.end(&stream);
    return result == 1 ? made : 0;  // Z_STREAM_END
}
