/* The lower limit: a client that only sends requests, as fast as possible in C.

     client PORT SECONDS REQUEST…

   Sets the adapter up, sends the requests in turn for SECONDS, and prints one line of JSON. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static int ask(int port, const char *line, int length) {
    char input[4096];
    if (write(port, line, length) != length) return -1;
    for (;;) {
        struct pollfd waiting = {port, POLLIN, 0};
        if (poll(&waiting, 1, 5000) != 1) return -1;
        ssize_t got = read(port, input, sizeof input);
        if (got <= 0) return -1;
        if (input[got - 1] == '>') return 0;
    }
}

int main(int argc, char **argv) {
    double begun = now();
    int port = argc > 3 ? open(argv[1], O_RDWR | O_NOCTTY) : -1;
    struct termios raw;
    if (port < 0 || tcgetattr(port, &raw)) return 69;
    cfmakeraw(&raw);
    tcsetattr(port, TCSANOW, &raw);
    const char *setup[] = {"ATE0\r", "ATL0\r", "ATS0\r", "ATH1\r", "ATSP6\r", "0100\r"};
    for (unsigned i = 0; i < sizeof setup / sizeof *setup; i++)
        if (ask(port, setup[i], (int)strlen(setup[i]))) return 75;
    int count = argc - 3, lengths[16];
    char lines[16][64];
    if (count > 16) return 64;
    for (int i = 0; i < count; i++) lengths[i] = snprintf(lines[i], 64, "%.60s\r", argv[i + 3]);
    double first = 0, end = now() + atof(argv[2]);
    long asked = 0;
    do {
        if (ask(port, lines[asked % count], lengths[asked % count])) return 75;
        if (!asked++) first = now() - begun;
    } while (now() < end);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    double cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec
        + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    printf("{\"requests\":%ld,\"first_s\":%.4f,\"cpu_us\":%.2f}\n", asked, first, cpu / asked * 1e6);
    return 0;
}
