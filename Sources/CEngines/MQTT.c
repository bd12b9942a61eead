#include "CEngines.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// libmosquitto's numbers (https://mosquitto.org/api/, mosquitto.h).
enum {
    OPT_PROTOCOL_VERSION = 1,
    OPT_TCP_NODELAY = 11,
    OPT_TLS_USE_OS_CERTS = 13,
    LOG_ERR = 8,
    ERR_TLS = 8,
    ERR_ERRNO = 14,
};

enum {
    // Ours: the broker sends a message that is longer than any that is asked for.
    TOO_LONG = -1000,
    // Unit: bytes.
    LONGEST_MESSAGE = 1 << 20,
    // Small, so that libmosquitto, which reads while there is something to read, returns in between.
    RECEIVE_BUFFER = 64 << 10,
};

typedef struct mosquitto mosquitto;
typedef struct {
    int mid;
    char *topic;
    void *payload;
    int payloadlen, qos;
    bool retain;
} mosquitto_message;

static struct {
    int (*lib_init)(void);
    mosquitto *(*new)(const char *, bool, void *);
    void (*destroy)(mosquitto *);
    int (*int_option)(mosquitto *, int, int);
    int (*will_set)(mosquitto *, const char *, int, const void *, int, bool);
    int (*username_pw_set)(mosquitto *, const char *, const char *);
    int (*tls_set)(mosquitto *, const char *, const char *, const char *, const char *, void *);
    int (*connect)(mosquitto *, const char *, int, int);
    int (*disconnect)(mosquitto *);
    int (*publish)(mosquitto *, int *, const char *, int, const void *, int, bool);
    int (*subscribe)(mosquitto *, int *, const char *, int);
    int (*socket)(mosquitto *);
    bool (*want_write)(mosquitto *);
    int (*loop_read)(mosquitto *, int);
    int (*loop_write)(mosquitto *, int);
    int (*loop_misc)(mosquitto *);
    const char *(*strerror)(int);
    const char *(*reason_string)(int);
    const char *(*connack_string)(int);
    void (*on_connect)(mosquitto *, void (*)(mosquitto *, void *, int, int, const void *));
    void (*on_disconnect)(mosquitto *, void (*)(mosquitto *, void *, int, const void *));
    void (*on_publish)(mosquitto *, void (*)(mosquitto *, void *, int, int, const void *));
    void (*on_message)(
        mosquitto *, void (*)(mosquitto *, void *, const mosquitto_message *, const void *));
    void (*on_log)(mosquitto *, void (*)(mosquitto *, void *, int, const char *));
} lib;

static int load(void *library, const char *name, void *place) {
    void *found = dlsym(library, name);
    memcpy(place, &found, sizeof found);
    return found ? 0 : -1;
}

int eng_mqtt_open(void) {
    static int done;
    if (done) return 0;
    void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return -1;
    if (load(handle, "mosquitto_lib_init", &lib.lib_init)
        || load(handle, "mosquitto_new", &lib.new) || load(handle, "mosquitto_destroy", &lib.destroy)
        || load(handle, "mosquitto_int_option", &lib.int_option)
        || load(handle, "mosquitto_will_set", &lib.will_set)
        || load(handle, "mosquitto_username_pw_set", &lib.username_pw_set)
        || load(handle, "mosquitto_tls_set", &lib.tls_set)
        || load(handle, "mosquitto_connect", &lib.connect)
        || load(handle, "mosquitto_disconnect", &lib.disconnect)
        || load(handle, "mosquitto_publish", &lib.publish)
        || load(handle, "mosquitto_subscribe", &lib.subscribe)
        || load(handle, "mosquitto_socket", &lib.socket)
        || load(handle, "mosquitto_want_write", &lib.want_write)
        || load(handle, "mosquitto_loop_read", &lib.loop_read)
        || load(handle, "mosquitto_loop_write", &lib.loop_write)
        || load(handle, "mosquitto_loop_misc", &lib.loop_misc)
        || load(handle, "mosquitto_strerror", &lib.strerror)
        || load(handle, "mosquitto_reason_string", &lib.reason_string)
        || load(handle, "mosquitto_connack_string", &lib.connack_string)
        || load(handle, "mosquitto_connect_v5_callback_set", &lib.on_connect)
        || load(handle, "mosquitto_disconnect_v5_callback_set", &lib.on_disconnect)
        || load(handle, "mosquitto_publish_v5_callback_set", &lib.on_publish)
        || load(handle, "mosquitto_message_v5_callback_set", &lib.on_message)
        || load(handle, "mosquitto_log_callback_set", &lib.on_log))
        return -1;
    if (lib.lib_init()) return -1;
    done = 1;
    return 0;
}

struct eng_mqtt {
    mosquitto *client;
    eng_mqtt_events events;
    int tls_fault;
    // Whether a message came to its end since the socket was read last, and whether it was too long.
    int has_ended, is_too_long;
    // The bytes that had come when a message ended last.
    uint64_t heard;
};

static void connected(mosquitto *client, void *object, int reason, int flags, const void *properties) {
    (void)client, (void)flags, (void)properties;
    eng_mqtt *mqtt = object;
    mqtt->has_ended = 1;
    mqtt->events.connected(mqtt->events.context, reason);
}

static void disconnected(mosquitto *client, void *object, int reason, const void *properties) {
    (void)client, (void)properties;
    eng_mqtt *mqtt = object;
    mqtt->has_ended = 1;
    mqtt->events.disconnected(mqtt->events.context, reason);
}

static void published(mosquitto *client, void *object, int id, int reason, const void *properties) {
    (void)client, (void)properties;
    eng_mqtt *mqtt = object;
    mqtt->has_ended = 1;
    mqtt->events.published(mqtt->events.context, id, reason);
}

static void received(
    mosquitto *client, void *object, const mosquitto_message *message, const void *properties) {
    (void)client, (void)properties;
    eng_mqtt *mqtt = object;
    mqtt->has_ended = 1;
    if (message->payloadlen > LONGEST_MESSAGE) {
        mqtt->is_too_long = 1;
        return;
    }
    mqtt->events.received(
        mqtt->events.context, message->topic, message->payload, (size_t)message->payloadlen,
        message->retain);
}

// libmosquitto's result is ERR_TLS for all of them; what it logs tells them apart.
static void logged(mosquitto *client, void *object, int level, const char *text) {
    (void)client;
    eng_mqtt *mqtt = object;
    if (level != LOG_ERR || !text) return;
    if (strstr(text, "host name verification")) mqtt->tls_fault = 1;
    else if (strstr(text, "certificate verify failed") && !mqtt->tls_fault) mqtt->tls_fault = 2;
}

eng_mqtt *eng_mqtt_new(
    const char *client_id, int version, const char *will_topic, const char *will_payload,
    eng_mqtt_events events) {
    eng_mqtt *mqtt = calloc(1, sizeof *mqtt);
    if (!mqtt) return NULL;
    mqtt->events = events;
    mqtt->client = lib.new(client_id, true, mqtt);
    if (!mqtt->client || lib.int_option(mqtt->client, OPT_PROTOCOL_VERSION, version)
        || (will_topic
            && lib.will_set(
                mqtt->client, will_topic, (int)strlen(will_payload), will_payload, 1, true))) {
        eng_mqtt_free(mqtt);
        return NULL;
    }
    lib.int_option(mqtt->client, OPT_TCP_NODELAY, 1);
    lib.on_connect(mqtt->client, connected);
    lib.on_disconnect(mqtt->client, disconnected);
    lib.on_publish(mqtt->client, published);
    lib.on_message(mqtt->client, received);
    lib.on_log(mqtt->client, logged);
    return mqtt;
}

void eng_mqtt_free(eng_mqtt *mqtt) {
    if (!mqtt) return;
    if (mqtt->client) lib.destroy(mqtt->client);
    free(mqtt);
}

int eng_mqtt_login(eng_mqtt *mqtt, const char *user, const char *password) {
    return lib.username_pw_set(mqtt->client, user, password);
}

int eng_mqtt_encrypt(eng_mqtt *mqtt, const char *ca_file) {
    // Certificate and host name are verified: these are libmosquitto's defaults, which we do not
    // change.
    if (ca_file) return lib.tls_set(mqtt->client, ca_file, NULL, NULL, NULL, NULL);
    return lib.int_option(mqtt->client, OPT_TLS_USE_OS_CERTS, 1);
}

int eng_mqtt_connect(eng_mqtt *mqtt, const char *host, int port, int keepalive_s) {
    mqtt->tls_fault = 0;
    int result = lib.connect(mqtt->client, host, port, keepalive_s);
    if (result == ERR_TLS && !mqtt->tls_fault) mqtt->tls_fault = 3;
    if (result) return result;
    mqtt->heard = 0;
    mqtt->has_ended = mqtt->is_too_long = 0;
    int size = RECEIVE_BUFFER;
    setsockopt(lib.socket(mqtt->client), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    return 0;
}

// libmosquitto takes a message of any length, 256 MB at most, and tells of it when it is complete.
static int is_flooded(eng_mqtt *mqtt, int socket) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (mqtt->is_too_long) return 1;
    memset(&info, 0, sizeof info);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size)) return 0;
    if (mqtt->has_ended) mqtt->heard = info.tcpi_bytes_received;
    mqtt->has_ended = 0;
    return info.tcpi_bytes_received - mqtt->heard > LONGEST_MESSAGE;
}

int eng_mqtt_tls_fault(const eng_mqtt *mqtt) { return mqtt->tls_fault; }

int eng_mqtt_drive(eng_mqtt *mqtt, int fd, int timeout_ms) {
    int result = lib.loop_misc(mqtt->client);
    if (result) return result;
    struct pollfd entries[2] = {
        {.fd = lib.socket(mqtt->client), .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    if (entries[0].fd < 0) return ERR_ERRNO;
    if (lib.want_write(mqtt->client)) entries[0].events |= POLLOUT;
    if (poll(entries, fd >= 0 ? 2 : 1, timeout_ms) < 0 && errno != EINTR) return ERR_ERRNO;
    if (entries[0].revents & (POLLIN | POLLHUP | POLLERR)) {
        result = lib.loop_read(mqtt->client, 1);
        if (is_flooded(mqtt, entries[0].fd)) return TOO_LONG;
        if (result) return result;
    }
    if (lib.want_write(mqtt->client) || (entries[0].revents & POLLOUT))
        result = lib.loop_write(mqtt->client, 1);
    return result;
}

int eng_mqtt_publish(
    eng_mqtt *mqtt, int *id, const char *topic, const void *payload, size_t size, int qos,
    int retain) {
    return lib.publish(mqtt->client, id, topic, (int)size, payload, qos, retain);
}

int eng_mqtt_subscribe(eng_mqtt *mqtt, const char *topic) {
    return lib.subscribe(mqtt->client, NULL, topic, 1);
}

void eng_mqtt_disconnect(eng_mqtt *mqtt) { lib.disconnect(mqtt->client); }

const char *eng_mqtt_words(int result) {
    if (result == TOO_LONG) return "the broker sends a message of more than 1 MB";
    return result == ERR_ERRNO ? strerror(errno) : lib.strerror(result);
}

const char *eng_mqtt_reason(int reason) {
    return reason >= 128 ? lib.reason_string(reason) : lib.connack_string(reason);
}
