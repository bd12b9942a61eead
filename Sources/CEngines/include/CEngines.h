// libcurl, zlib and libmosquitto, opened when they are first used: a program that links them starts
// some milliseconds later, whatever it then does. What is called of them is declared here, so that a
// build needs none of their headers.
#ifndef CENGINES_H
#define CENGINES_H

#include <stddef.h>
#include <stdint.h>

// ---- HTTP

// Opens libcurl and zlib; 0 = done, -1 = one of them is missing or too old. Call it before any thread
// uses the rest. Later calls cost nothing.
int eng_http_open(void);

// One connection to one server, and one exchange at a time on it. NULL = no memory.
typedef struct eng_http eng_http;
eng_http *eng_http_new(void);
void eng_http_free(eng_http *http);

// What holds for all exchanges. `ca_file` may be NULL: the system's own list. `user_password` is
// "user:password" or NULL.
int eng_http_setup(
    eng_http *http, const char *user_agent, const char *ca_file, const char *user_password,
    long connect_timeout_ms, long timeout_ms);

// Begins an exchange: a POST of `body`, or a GET without one. `headers` are `count` lines. The body must
// live until the exchange has ended. 0 = begun.
int eng_http_begin(
    eng_http *http, const char *url, const char *const *headers, size_t count, const void *body,
    size_t size);

// Goes on until the exchange has ended (1), `fd` is readable or `timeout_ms` have passed (0). Negative =
// libcurl failed.
int eng_http_drive(eng_http *http, int fd, int timeout_ms);

// Gives up the exchange that was begun.
void eng_http_cancel(eng_http *http);

// Of an exchange that has ended: the status, 0 = there was no whole answer and eng_http_error says why.
long eng_http_status(const eng_http *http);
const char *eng_http_error(const eng_http *http);

// Whether the certificate is what failed.
int eng_http_is_certificate_fault(const eng_http *http);

// The beginning of the answer's body.
const char *eng_http_body(const eng_http *http, size_t *size);

// The value of the header Retry-After; empty = none.
const char *eng_http_retry_after(const eng_http *http);

// Passes the rest of a body that is longer than what is kept to `take`; NULL = it is left out.
typedef void (*eng_http_taker)(void *context, const void *bytes, size_t size);
void eng_http_take(eng_http *http, eng_http_taker take, void *context);

// Compresses into gzip's form (level 1). Returns the size, 0 = it does not fit into `room`.
size_t eng_gzip(const void *bytes, size_t size, void *output, size_t room);

// ---- MQTT

// Opens libmosquitto; 0 = done, -1 = it is missing or too old. Call it before any thread uses the rest.
int eng_mqtt_open(void);

// A client of one broker. NULL = no memory.
typedef struct eng_mqtt eng_mqtt;

// What the client tells; all are called from within eng_mqtt_drive, on its thread.
typedef struct {
    void *context;
    // The broker answered: 0 = welcome, else its reason code.
    void (*connected)(void *context, int reason);
    // The connection is gone: 0 = on purpose.
    void (*disconnected)(void *context, int reason);
    // A message of QoS 1 was acknowledged: its number, 0 or the broker's reason code.
    void (*published)(void *context, int id, int reason);
    // A message came; a retained one may be old.
    void (*received)(
        void *context, const char *topic, const void *payload, size_t size, int is_retained);
} eng_mqtt_events;

// `version` is 5 or 4 (3.1.1). A will is a retained message of QoS 1.
eng_mqtt *eng_mqtt_new(
    const char *client_id, int version, const char *will_topic, const char *will_payload,
    eng_mqtt_events events);
void eng_mqtt_free(eng_mqtt *mqtt);

// `password` may be NULL.
int eng_mqtt_login(eng_mqtt *mqtt, const char *user, const char *password);

// Uses TLS with the certificates of a file, or with the system's (NULL). 0 = done.
int eng_mqtt_encrypt(eng_mqtt *mqtt, const char *ca_file);

// Connects; blocks until TCP and TLS are there. 0 = done, else eng_mqtt_words says why.
int eng_mqtt_connect(eng_mqtt *mqtt, const char *host, int port, int keepalive_s);

// Why the last connection had no TLS: 0 = it had or needed none, 1 = the certificate is of another name,
// 2 = it is not trusted, 3 = something else.
int eng_mqtt_tls_fault(const eng_mqtt *mqtt);

// Works until `fd` is readable, something came from the broker, or `timeout_ms` have passed. 0 = the
// connection holds.
int eng_mqtt_drive(eng_mqtt *mqtt, int fd, int timeout_ms);

// Sends a message; its number is put at `id`. Only while connected. 0 = done.
int eng_mqtt_publish(
    eng_mqtt *mqtt, int *id, const char *topic, const void *payload, size_t size, int qos,
    int retain);

int eng_mqtt_subscribe(eng_mqtt *mqtt, const char *topic);

// Says good-bye.
void eng_mqtt_disconnect(eng_mqtt *mqtt);

// The words for a result of the functions above.
const char *eng_mqtt_words(int result);

// The words for a broker's reason code.
const char *eng_mqtt_reason(int reason);

#endif
