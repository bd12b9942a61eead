/* The floor on SocketCAN: an ECU and a client that does nothing but ask, as fast as C can be.

     canfloor IFACE ecu [LATENCY_MS]             answers as 7E8 (to 7E0) or as 7E8 and 7E9 (to 7DF)
     canfloor IFACE ecu1 [LATENCY_MS]            the same with 7E8 alone
     canfloor IFACE ask SECONDS ID HEX FRAMES    asks in turn, counts requests; FRAMES come for each
     canfloor IFACE flood SECONDS RATE ID…       sends RATE frames a second with these identifiers

   The client sends flow control to 7E0 when a first frame comes. It prints one line of JSON. An IFACE with a
   slash is the path of a socket, on which a frame is a message: see canbus.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/can.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int bus = -1, listener = -1;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static void put(unsigned id, const unsigned char *data) {
    struct can_frame frame = {.can_id = id, .can_dlc = 8};
    memcpy(frame.data, data, 8);
    while (send(bus, &frame, sizeof frame, MSG_NOSIGNAL) != sizeof frame) {
        // The client on a socket has gone; reading tells so.
        if (errno == EPIPE || errno == ECONNRESET) return;
        if (errno != ENOBUFS && errno != EAGAIN) fail("write");
        poll(0, 0, 1);
    }
}

/* The socket that stands for a bus; the ECU takes one client after the other. */
static void open_socket(const char *path, int serves) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int end = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (end < 0) fail("socket");
    if (!serves) {
        if (connect(end, (void *)&address, sizeof address)) fail(path);
        bus = end;
    } else if (bind(end, (void *)&address, sizeof address) || listen(end, 1)) {
        fail(path);
    } else {
        listener = end;
    }
}

static void open_bus(const char *name, unsigned id, unsigned mask) {
    struct can_filter filter = {id, mask | CAN_EFF_FLAG | CAN_RTR_FLAG};
    struct sockaddr_can address = {.can_family = AF_CAN, .can_ifindex = if_nametoindex(name)};
    bus = socket(PF_CAN, SOCK_RAW, CAN_RAW);
    if (bus < 0) fail("socket");
    if (setsockopt(bus, SOL_CAN_RAW, CAN_RAW_FILTER, &filter, sizeof filter)) fail("filter");
    if (bind(bus, (void *)&address, sizeof address)) fail("bind");
}

/* What an ECU says to a request; the length, 0 = it is silent. */
static int answer(const unsigned char *request, int count, unsigned char *to) {
    static const unsigned char values[256][4] = {
        [0x00] = {0x98, 0x3B, 0x80, 0x11}, [0x20] = {0, 0, 0, 0}, [0x04] = {0x40}, [0x05] = {0x7B},
        [0x0B] = {0x23}, [0x0C] = {0x1A, 0xF8}, [0x0D] = {0x2A}, [0x0F] = {0x3C}, [0x10] = {0x01, 0xF4},
        [0x11] = {0x26}, [0x1C] = {0x06}, [0x01] = {0, 7, 0xE1, 0}};
    static const unsigned char sizes[256] = {
        [0x00] = 4, [0x20] = 4, [0x01] = 4, [0x04] = 1, [0x05] = 1, [0x0B] = 1, [0x0C] = 2, [0x0D] = 1,
        [0x0F] = 1, [0x10] = 2, [0x11] = 1, [0x1C] = 1};
    if (request[0] == 0x09 && count == 2) {
        if (request[1] == 0x00) return memcpy(to, "\x49\x00\x40\x00\x00\x00", 6), 6;
        if (request[1] == 0x02) return memcpy(to, "\x49\x02\x01" "1HGCM82633A004352", 20), 20;
        return 0;
    }
    if (request[0] != 0x01) return 0;
    int length = 0;
    to[length++] = 0x41;
    for (int i = 1; i < count; i++) {
        if (!sizes[request[i]]) continue;
        to[length++] = request[i];
        memcpy(to + length, values[request[i]], sizes[request[i]]);
        length += sizes[request[i]];
    }
    return length > 1 ? length : 0;
}

static void serve(int ecus, double latency) {
    unsigned char rest[2][64] = {{0}}, reply[64];
    int left[2] = {0}, sent[2] = {0};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    puts("ready");
    fflush(stdout);
    for (;;) {
        struct can_frame frame;
        if (bus < 0 && (bus = accept(listener, 0, 0)) < 0) fail("accept");
        if (read(bus, &frame, sizeof frame) != sizeof frame) {
            if (listener < 0) fail("read");
            close(bus);
            bus = -1;
            continue;
        }
        int all = frame.can_id == 0x7DF, ecu = all ? 0 : (int)frame.can_id - 0x7E0;
        if (ecu < 0 || ecu >= ecus) continue;
        if (frame.data[0] >> 4 == 3 && !all) {
            unsigned char part[8];
            for (int number = 1; left[ecu] > 0; number++) {
                memset(part, 0, 8);
                part[0] = 0x20 | (number & 15);
                memcpy(part + 1, rest[ecu] + sent[ecu], left[ecu] < 7 ? left[ecu] : 7);
                sent[ecu] += 7;
                left[ecu] -= 7;
                put(0x7E8 + ecu, part);
            }
            continue;
        }
        int count = frame.data[0];
        if (count < 1 || count > 7) continue;
        if (latency > 0) {
            struct itimerspec when = {.it_value = {(time_t)(latency / 1e3), (long)(latency * 1e6) % 1000000000}};
            unsigned long long times;
            timerfd_settime(timer, 0, &when, 0);
            if (read(timer, &times, sizeof times) != sizeof times) fail("timer");
        }
        int length = answer(frame.data + 1, count, reply);
        if (!length) continue;
        for (int i = ecu; i < (all ? ecus : ecu + 1); i++) {
            unsigned char head[8] = {0};
            if (length < 8) {
                head[0] = (unsigned char)length;
                memcpy(head + 1, reply, length);
            } else {
                head[0] = 0x10;
                head[1] = (unsigned char)length;
                memcpy(head + 2, reply, 6);
                memcpy(rest[i], reply + 6, length - 6);
                left[i] = length - 6;
                sent[i] = 0;
            }
            put(0x7E8 + i, head);
        }
    }
}

static void ask(double seconds, unsigned id, const char *hex, int frames) {
    unsigned char request[8] = {(unsigned char)(strlen(hex) / 2)}, flow[8] = {0x30};
    for (int i = 0; hex[2 * i]; i++) {
        unsigned value;
        sscanf(hex + 2 * i, "%2x", &value);
        request[i + 1] = (unsigned char)value;
    }
    long asked = 0;
    double begun = now(), end = begun + seconds;
    do {
        put(id, request);
        for (int left = frames; left > 0;) {
            struct pollfd waiting = {bus, POLLIN, 0};
            struct can_frame frame;
            if (poll(&waiting, 1, 2000) != 1) fail("no answer");
            if (read(bus, &frame, sizeof frame) != sizeof frame) fail("read");
            if (frame.data[0] >> 4 == 1) put(0x7E0, flow);
            left--;
        }
        asked++;
    } while (now() < end);
    double took = now() - begun;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    double cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec
        + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    printf("{\"requests\":%ld,\"rate\":%.1f,\"cpu_us\":%.2f}\n", asked, asked / took, cpu / asked * 1e6);
}

static void flood(double seconds, double rate, int count, char **ids) {
    unsigned char data[8] = {0x10, 0x14, 0x62, 0xF1, 0x90, 1, 2, 3};
    long sent = 0;
    double begun = now();
    for (double at = now(); at < begun + seconds; at = now()) {
        while (sent < (at - begun) * rate) {
            const char *text = ids[sent % count];
            unsigned id = (unsigned)strtoul(text, 0, 16);
            put(id | (strlen(text) > 3 ? CAN_EFF_FLAG : 0), data);
            sent++;
        }
        poll(0, 0, 2);
    }
    printf("{\"frames\":%ld,\"rate\":%.1f}\n", sent, sent / (now() - begun));
}

int main(int argc, char **argv) {
    if (argc > 2 && !strncmp(argv[2], "ecu", 3)) {
        if (strchr(argv[1], '/')) open_socket(argv[1], 1); else open_bus(argv[1], 0x7C0, 0x7C0);
        serve(argv[2][3] ? 1 : 2, argc > 3 ? atof(argv[3]) : 0);
    } else if (argc > 6 && !strcmp(argv[2], "ask")) {
        if (strchr(argv[1], '/')) open_socket(argv[1], 0); else open_bus(argv[1], 0x7E8, 0x7F8);
        ask(atof(argv[3]), (unsigned)strtoul(argv[4], 0, 16), argv[5], atoi(argv[6]));
    } else if (argc > 5 && !strcmp(argv[2], "flood")) {
        open_bus(argv[1], 0, 0x7FF);
        flood(atof(argv[3]), atof(argv[4]), argc - 5, argv + 5);
    } else {
        return 64;
    }
    return 0;
}
