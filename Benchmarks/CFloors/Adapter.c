#define _GNU_SOURCE
#include "CFloors.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Think times in tenths of a microsecond; the last bucket counts all longer ones. */
#define BUCKETS 100000
static long buckets[BUCKETS];
static long requests;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct adapter {
    int descriptor;
    int echo, headers, spaces;
};

void floor_adapter_clear(void) {
    pthread_mutex_lock(&lock);
    memset(buckets, 0, sizeof buckets);
    requests = 0;
    pthread_mutex_unlock(&lock);
}

long floor_adapter_requests(void) {
    pthread_mutex_lock(&lock);
    long found = requests;
    pthread_mutex_unlock(&lock);
    return found;
}

double floor_adapter_think(double share) {
    pthread_mutex_lock(&lock);
    long rank = (long)(requests * share), seen = 0;
    int place = 0;
    while (place < BUCKETS - 1 && (seen += buckets[place]) < rank) place++;
    pthread_mutex_unlock(&lock);
    return place / 10.0;
}

static void note(double seconds) {
    long place = (long)(seconds * 1e7);
    pthread_mutex_lock(&lock);
    buckets[place < 0 ? 0 : place < BUCKETS ? place : BUCKETS - 1]++;
    requests++;
    pthread_mutex_unlock(&lock);
}

/* Formats data of 7E8 in hexadecimal according to the settings. */
static int data(const struct adapter *a, const char *hex, char *out) {
    int length = 0, digits = (int)strlen(hex);
    if (a->headers)
        length += sprintf(out, a->spaces ? "7E8 %02X " : "7E8%02X", digits / 2);
    for (int i = 0; i < digits; i += 2)
        length += sprintf(out + length, a->spaces ? "%.2s " : "%.2s", hex + i);
    return length;
}

static int answer(struct adapter *a, const char *line, char *out, int *is_vehicle) {
    *is_vehicle = 0;
    if (!strncmp(line, "AT", 2)) {
        const char *command = line + 2;
        if (command[0] == 'E') a->echo = command[1] != '0';
        if (command[0] == 'H') a->headers = command[1] != '0';
        if (command[0] == 'S' && command[2] == 0) a->spaces = command[1] != '0';
        if (!strcmp(command, "I") || !strcmp(command, "Z") || !strcmp(command, "WS") ||
            !strcmp(command, "D"))
            return sprintf(out, *command == 'D' ? "OK" : "ELM327 v1.5");
        if (!strcmp(command, "RV")) return sprintf(out, "12.3V");
        if (!strcmp(command, "DPN")) return sprintf(out, "6");
        if (!strcmp(command, "@1")) return sprintf(out, "OBDII to RS232 Interpreter");
        return sprintf(out, "OK");
    }
    if (!strncmp(line, "ST", 2)) return sprintf(out, "?");
    *is_vehicle = 1;
    if (!strncmp(line, "010C", 4)) return data(a, "410C1AF8", out);
    if (!strncmp(line, "0100", 4)) return data(a, "4100BE3EB811", out);
    return sprintf(out, "NO DATA");
}

static void *serve(void *argument) {
    struct adapter a = {*(int *)argument, 1, 0, 1};
    free(argument);
    char input[4096], line[256], output[1024];
    int used = 0;
    double prompt = 0;
    for (;;) {
        ssize_t count = read(a.descriptor, input, sizeof input);
        if (count <= 0) break;
        double now = floor_now();
        for (ssize_t i = 0; i < count; i++) {
            if (input[i] != '\r') {
                if (input[i] > ' ' && used < 255) line[used++] = input[i];
                continue;
            }
            line[used] = 0;
            int length = a.echo ? sprintf(output, "%s\r", line) : 0, is_vehicle;
            used = 0;
            length += answer(&a, line, output + length, &is_vehicle);
            length += sprintf(output + length, "\r\r>");
            if (is_vehicle && prompt > 0) note(now - prompt);
            prompt = floor_now();
            if (write(a.descriptor, output, length) != length) break;
        }
    }
    close(a.descriptor);
    return 0;
}

int floor_adapter_open(void) {
    int pair[2];
    pthread_t thread;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return -1;
    int *own = malloc(sizeof *own);
    *own = pair[0];
    if (pthread_create(&thread, 0, serve, own)) return -1;
    pthread_detach(thread);
    return pair[1];
}

double floor_client(int descriptor, long count) {
    static const char setup[] = "ATE0\rATS0\rATH1\r";
    char input[4096];
    int prompts = 0;
    if (write(descriptor, setup, sizeof setup - 1) < 0) return -1;
    while (prompts < 3) {
        ssize_t got = read(descriptor, input, sizeof input);
        if (got <= 0) return -1;
        for (ssize_t i = 0; i < got; i++) prompts += input[i] == '>';
    }
    floor_adapter_clear();
    double start = floor_now();
    for (long i = 0; i < count; i++) {
        if (write(descriptor, "010C1\r", 6) != 6) return -1;
        for (int isDone = 0; !isDone;) {
            struct pollfd waiting = {descriptor, POLLIN, 0};
            if (poll(&waiting, 1, -1) < 0) return -1;
            ssize_t got = read(descriptor, input, sizeof input);
            if (got <= 0) return -1;
            isDone = input[got - 1] == '>';
        }
    }
    return floor_now() - start;
}
