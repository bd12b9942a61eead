/* An ELM327 with a vehicle, as fast as possible in C, for measuring clients.

     adapter [--latency-us N] [--at-us N] [--wait-us N] [--baud N] [--refuse-batches 1] [--tcp 1]
             [--segments N]

   Prints the path of its pty, or the address where it waits for one client. On SIGTERM it prints one
   line of JSON: requests, records, records per second over the last 60 % of the requests, and the
   client's think time (from the written prompt to the complete next request). --at-us is the time for a
   command to the adapter itself; --wait-us is how long the adapter waits for more answers if the
   request has no count digit; --baud charges ten bits per byte in both directions; --refuse-batches
   answers ? to a request for several records; --segments writes each answer in N pieces over TCP with
   Nagle's algorithm on, as the firmware of small Wi-Fi adapters does. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define MOST 4000000
static float *thinks;
static double *times;
static int *counts;
static long requests, latency, setting, waiting, baud, refusing, network, segments;
static int echo = 1, headers, spaces = 1;
static volatile sig_atomic_t ended;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void end(int number) { (void)number, ended = 1; }

static void wait_until(double time) {
    struct timespec t = {(time_t)time, (long)((time - (time_t)time) * 1e9)};
    while (!ended && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0) == EINTR) {}
}

static int length_of(int pid) {
    switch (pid) {
    case 0x00: case 0x20: case 0x40: case 0x01: case 0x24: return 4;
    case 0x0C: case 0x10: case 0x1F: case 0x21: case 0x31: case 0x42: return 2;
    default: return 1;
    }
}

static int put(char *out, const unsigned char *bytes, int count) {
    int used = 0;
    for (int i = 0; i < count; i++)
        used += sprintf(out + used, spaces ? "%02X " : "%02X", bytes[i]);
    return used;
}

/* One line of CAN data with the header, if headers are on. */
static int frame(char *out, const unsigned char *bytes, int count) {
    int used = headers ? sprintf(out, spaces ? "7E8 " : "7E8") : 0;
    used += put(out + used, bytes, count);
    out[used++] = '\r';
    return used;
}

/* Formats a message as ISO 15765-2 frames; returns their number. */
static int message(char *out, const unsigned char *bytes, int count, int *used) {
    unsigned char data[8];
    *used = 0;
    if (count < 8) {
        data[0] = count;
        memcpy(data + 1, bytes, count);
        *used = headers ? frame(out, data, count + 1)
                        : frame(out, bytes, count);
        return 1;
    }
    int frames = 0, done = 0;
    if (!headers) *used += sprintf(out, "%03X\r", count);
    for (; done < count; frames++) {
        int header = frames ? 1 : 2, room = frames ? 7 : 6;
        int part = count - done < room ? count - done : room;
        if (frames) data[0] = 0x20 | (frames & 15);
        else data[0] = 0x10 | count >> 8, data[1] = count & 255;
        memset(data + header, 0, sizeof data - header);
        memcpy(data + header, bytes + done, part);
        if (!headers) *used += sprintf(out + *used, spaces ? "%X: " : "%X:", frames & 15);
        *used += headers ? frame(out + *used, data, 8) : frame(out + *used, data + header, room);
        done += part;
    }
    return frames;
}

/* The answer to a line; `records` = the number of requested records, 0 for other lines. */
static int answer(const char *line, char *out, int *records, int *is_early) {
    int digits = (int)strspn(line, "0123456789ABCDEF"), used = 0;
    *records = 0, *is_early = 1;
    if (!strncmp(line, "AT", 2)) {
        const char *command = line + 2;
        if (*command == 'E') echo = command[1] != '0';
        if (*command == 'H') headers = command[1] != '0';
        if (*command == 'S' && !command[2]) spaces = command[1] != '0';
        if (*command == 'Z' || *command == 'D' || !strcmp(command, "WS"))
            if (strncmp(command, "DP", 2)) echo = 1, headers = 0, spaces = 1;
        if (*command == 'I' || *command == 'Z' || !strcmp(command, "WS"))
            return sprintf(out, "ELM327 v1.5\r");
        if (!strcmp(command, "RV")) return sprintf(out, "12.3V\r");
        if (!strcmp(command, "DPN")) return sprintf(out, "A6\r");
        if (!strcmp(command, "DP")) return sprintf(out, "AUTO, ISO 15765-4 (CAN 11/500)\r");
        return sprintf(out, "OK\r");
    }
    if (digits < 4 || line[digits]) return sprintf(out, "?\r");
    int wanted = digits & 1 ? line[digits - 1] - (line[digits - 1] > '9' ? 'A' - 10 : '0') : 0;
    unsigned char reply[64] = {0x41};
    int count = 1;
    static unsigned tick;
    tick++;
    if (strncmp(line, "01", 2)) return sprintf(out, "NO DATA\r");
    if (refusing && digits > 5) return sprintf(out, "?\r");
    for (int i = 2; i + 1 < digits; i += 2) {
        char two[3] = {line[i], line[i + 1], 0};
        int pid = (int)strtol(two, 0, 16), length = length_of(pid);
        reply[count++] = pid;
        for (int j = 0; j < length; j++)
            reply[count++] = pid % 32 ? tick >> (j * 4) : (pid == 0 ? "\xBE\x3F\xB8\x13"[j] & 255
                                                                     : j == 3 && pid == 0x20);
        ++*records;
    }
    int frames = message(out, reply, count, &used);
    *is_early = wanted && frames >= wanted;
    return used;
}

/* Writes an answer, in pieces with --segments. */
static int say(int port, const char *text, int length) {
    int piece = segments > 1 ? (int)((length + segments - 1) / segments) : length;
    for (int done = 0; done < length; done += piece) {
        int part = length - done < piece ? length - done : piece;
        if (write(port, text + done, part) != part) return -1;
    }
    return 0;
}

static int ascending(const void *left, const void *right) {
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

/* The adapter's end of a new pty whose other end is open, so that it outlives its clients. */
static int pty(void) {
    int port = posix_openpt(O_RDWR | O_NOCTTY);
    if (port < 0 || grantpt(port) || unlockpt(port)) return -1;
    int held = open(ptsname(port), O_RDWR | O_NOCTTY);
    struct termios raw;
    tcgetattr(held, &raw);
    cfmakeraw(&raw);
    tcsetattr(held, TCSANOW, &raw);
    printf("%s\n", ptsname(port));
    fflush(stdout);
    return port;
}

/* The connection of the first client; the port is fixed, because clients remember adapters by it. */
static int client(void) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(35017), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int door = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(door, (struct sockaddr *)&place, sizeof place) || listen(door, 1)) return -1;
    printf("tcp:127.0.0.1:35017\n");
    fflush(stdout);
    int port = accept(door, 0, 0);
    if (!segments) setsockopt(port, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return port;
}

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        long value = atol(argv[i + 1]);
        if (!strcmp(argv[i], "--latency-us")) latency = value;
        else if (!strcmp(argv[i], "--at-us")) setting = value;
        else if (!strcmp(argv[i], "--wait-us")) waiting = value;
        else if (!strcmp(argv[i], "--baud")) baud = value;
        else if (!strcmp(argv[i], "--refuse-batches")) refusing = value;
        else if (!strcmp(argv[i], "--tcp")) network = value;
        else if (!strcmp(argv[i], "--segments")) segments = value;
        else return fprintf(stderr, "adapter: %s?\n", argv[i]), 64;
    }
    thinks = malloc(MOST * sizeof *thinks);
    times = malloc(MOST * sizeof *times);
    counts = malloc(MOST * sizeof *counts);
    int port = network ? client() : pty();
    if (!thinks || !times || !counts || port < 0) return 70;
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, 0);
    char input[4096], line[512], output[8192];
    int used = 0;
    double prompt = 0;
    while (!ended) {
        ssize_t got = read(port, input, sizeof input);
        if (got <= 0) {
            if (got < 0 && errno == EINTR) continue;
            break;
        }
        double read_at = now();
        for (ssize_t i = 0; i < got; i++) {
            if (input[i] != '\r') {
                if (input[i] > ' ' && used < 500)
                    line[used++] = input[i] >= 'a' ? input[i] - 32 : input[i];
                continue;
            }
            line[used] = 0;
            int records, is_early, typed = used + 1;
            int length = echo ? sprintf(output, "%s\r", line) : 0;
            used = 0;
            length += answer(line, output + length, &records, &is_early);
            length += sprintf(output + length, "\r>");
            if (records && requests < MOST) {
                thinks[requests] = prompt > 0 ? (read_at - prompt) * 1e6 : 0;
                times[requests] = read_at;
                counts[requests++] = records;
            }
            double due = read_at;
            if (!records) due += setting / 1e6;
            if (records) due += (latency + (is_early ? 0 : waiting)) / 1e6;
            if (baud) due += (length + typed) * 10.0 / baud;
            if (due > read_at) wait_until(due);
            if (say(port, output, length)) break;
            prompt = now();
        }
    }
    long from = requests * 2 / 5, records = 0;
    for (long i = from; i + 1 < requests; i++) records += counts[i];
    double taken = requests > from + 1 ? times[requests - 1] - times[from] : 0;
    if (requests) qsort(thinks, requests, sizeof *thinks, ascending);
    printf("{\"requests\":%ld,\"records_s\":%.2f,\"requests_s\":%.2f,\"think_p50\":%.2f,"
           "\"think_p10\":%.2f,\"think_p99\":%.2f}\n",
           requests, taken > 0 ? records / taken : 0,
           taken > 0 ? (requests - 1 - from) / taken : 0, requests ? thinks[requests / 2] : 0,
           requests ? thinks[requests / 10] : 0, requests ? thinks[requests * 99 / 100] : 0);
    return 0;
}
