// Loads libcurl, zlib and libmosquitto when they are first used, because linking them would delay
// every start of the program by some milliseconds. This header declares the functions that we use,
// so that a build needs none of the libraries' headers.
#ifndef CENGINES_H
#define CENGINES_H

#include <stddef.h>
#include <stdint.h>

// ---- HTTP

// Loads libcurl and zlib; 0 = success, -1 = one of them is missing or too old. Call it before any
// thread uses the other functions. Later calls cost nothing.
int eng_http_open(void);

// One connection to one server, with one exchange at a time. NULL = out of memory.
typedef struct eng_http eng_http;
eng_http *eng_http_new(void);
void eng_http_free(eng_http *http);

// Settings for all exchanges. `ca_file` may be NULL for the system's certificates. `user_password`
// is "user:password" or NULL.
int eng_http_setup(
    eng_http *http, const char *user_agent, const char *ca_file, const char *user_password,
    long connect_timeout_ms, long timeout_ms);

// Begins an exchange: a POST of `body`, or a GET without one. `headers` has `count` lines. The body
// must stay valid until the exchange has ended. 0 = success.
int eng_http_begin(
    eng_http *http, const char *url, const char *const *headers, size_t count, const void *body,
    size_t size);

// Continues until the exchange has ended (1), or `fd` is readable or `timeout_ms` have passed (0).
// Negative = libcurl failed.
int eng_http_drive(eng_http *http, int fd, int timeout_ms);

// Cancels the current exchange.
void eng_http_cancel(eng_http *http);

// The status of a finished exchange; 0 = no complete answer, and eng_http_error gives the reason.
long eng_http_status(const eng_http *http);
const char *eng_http_error(const eng_http *http);

// Whether the exchange failed because of the certificate.
int eng_http_is_certificate_fault(const eng_http *http);

// The beginning of the answer's body.
const char *eng_http_body(const eng_http *http, size_t *size);

// The value of the header Retry-After; empty = none.
const char *eng_http_retry_after(const eng_http *http);

// Passes the part of a body that does not fit into the buffer to `take`; NULL = discard it.
typedef void (*eng_http_taker)(void *context, const void *bytes, size_t size);
void eng_http_take(eng_http *http, eng_http_taker take, void *context);

// Compresses to gzip format (level 1). Returns the size, or 0 if it does not fit into `room`.
size_t eng_gzip(const void *bytes, size_t size, void *output, size_t room);

// ---- MQTT

// Loads libmosquitto; 0 = success, -1 = missing or too old. Call it before any thread uses the
// other functions.
int eng_mqtt_open(void);

// A client of one broker. NULL = out of memory.
typedef struct eng_mqtt eng_mqtt;

// The client's events; all are called from within eng_mqtt_drive, on its thread.
typedef struct {
    void *context;
    // The broker answered: 0 = accepted, else its reason code.
    void (*connected)(void *context, int reason);
    // The connection ended: 0 = on purpose.
    void (*disconnected)(void *context, int reason);
    // A message of QoS 1 was acknowledged: its number, and 0 or the broker's reason code.
    void (*published)(void *context, int id, int reason);
    // A message arrived; a retained one may be old.
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

// Uses TLS with the certificates of a file, or with the system's (NULL). 0 = success.
int eng_mqtt_encrypt(eng_mqtt *mqtt, const char *ca_file);

// Connects; blocks until TCP and TLS are established. 0 = success, else eng_mqtt_words gives the
// reason.
int eng_mqtt_connect(eng_mqtt *mqtt, const char *host, int port, int keepalive_s);

// Why the last connection had no TLS: 0 = it had or needed none, 1 = the certificate has another name,
// 2 = the certificate is not trusted, 3 = another reason.
int eng_mqtt_tls_fault(const eng_mqtt *mqtt);

// Runs until `fd` is readable, data arrived from the broker, or `timeout_ms` have passed. 0 = still
// connected.
int eng_mqtt_drive(eng_mqtt *mqtt, int fd, int timeout_ms);

// Sends a message and stores its number at `id`. Only while connected. 0 = success.
int eng_mqtt_publish(
    eng_mqtt *mqtt, int *id, const char *topic, const void *payload, size_t size, int qos,
    int retain);

int eng_mqtt_subscribe(eng_mqtt *mqtt, const char *topic);

// Disconnects in order.
void eng_mqtt_disconnect(eng_mqtt *mqtt);

// The message for a result of the functions above.
const char *eng_mqtt_words(int result);

// The message for a broker's reason code.
const char *eng_mqtt_reason(int reason);

#endif
