// The reference for obdscan publish: the same lines in the same batches through the same libraries, but
// read from a file instead of a database. `rows DATABASE` sends nothing: it only steps over the readings of a
// database in their order, which is the least that whoever reads them from there must do.
//
//   cc -O2 -ISources/CEngines/include Benchmarks/publish/floor.c Sources/CEngines/*.c -ldl -lsqlite3 -o floor
//   ./floor http LINES http://HOST:PORT/write?precision=ns
//   ./floor mqtt LINES HOST PORT TOPIC
//   ./floor rows DATABASE
#include "CEngines.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HTTP_LINES = 5000, MQTT_LINES = 350, MOST_WAITING = 20 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char *batch(const char *from, const char *end, int lines) {
    while (lines-- > 0 && from < end) from = (const char *)memchr(from, '\n', (size_t)(end - from)) + 1;
    return from;
}

static int is_connected, waiting;
static void connected(void *context, int reason) { (void)context, is_connected = reason == 0; }
static void disconnected(void *context, int reason) { (void)context, (void)reason, is_connected = 0; }
static void published(void *context, int id, int reason) { (void)context, (void)id, (void)reason, waiting--; }
static void received(
    void *context, const char *topic, const void *payload, size_t size, int is_retained) {
    (void)context, (void)topic, (void)payload, (void)size, (void)is_retained;
}

static int rows(const char *path) {
    sqlite3 *database;
    sqlite3_stmt *statement;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL)) return 66;
    const char *sql = "SELECT t, sequence, channel, value FROM reading ORDER BY trip, t, sequence";
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) return 65;
    double start = now(), sum = 0;
    long lines = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int column = 0; column < 3; column++) sum += (double)sqlite3_column_int64(statement, column);
        sum += sqlite3_column_double(statement, 3);
        lines++;
    }
    double gap = now() - start;
    printf("%ld lines in %.3f s: %.0f a second (sum %g)\n", lines, gap, (double)lines / gap, sum);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return 0;
}

int main(int count, char **words) {
    if (count == 3 && !strcmp(words[1], "rows")) return rows(words[2]);
    if (count < 4) return 64;
    FILE *file = fopen(words[2], "rb");
    if (!file) return 66;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(size);
    if (!bytes || fread(bytes, 1, size, file) != size) return 66;
    const char *end = bytes + size;
    long lines = 0;
    for (const char *p = bytes; p < end; p++) lines += *p == '\n';
    double start = now();
    if (!strcmp(words[1], "http")) {
        if (eng_http_open()) return 69;
        eng_http *http = eng_http_new();
        if (!http || eng_http_setup(http, "floor", NULL, NULL, 20000, 60000)) return 69;
        const char *headers[] = {"Content-Type: text/plain", "Content-Encoding: gzip"};
        char *room = malloc(4 << 20);
        for (const char *from = bytes; from < end;) {
            const char *to = batch(from, end, HTTP_LINES);
            size_t packed = eng_gzip(from, (size_t)(to - from), room, 4 << 20);
            if (!packed || eng_http_begin(http, words[3], headers, 2, room, packed)) return 70;
            int result;
            while (!(result = eng_http_drive(http, -1, 1000))) {}
            if (result < 0 || eng_http_status(http) / 100 != 2) return 75;
            from = to;
        }
    } else {
        if (count < 6 || eng_mqtt_open()) return 69;
        eng_mqtt_events events = {NULL, connected, disconnected, published, received};
        eng_mqtt *mqtt = eng_mqtt_new("floor", 5, NULL, NULL, events);
        if (!mqtt || eng_mqtt_connect(mqtt, words[3], atoi(words[4]), 30)) return 75;
        while (!is_connected)
            if (eng_mqtt_drive(mqtt, -1, 1000)) return 75;
        for (const char *from = bytes; from < end || waiting;) {
            while (from < end && waiting < MOST_WAITING) {
                const char *to = batch(from, end, MQTT_LINES);
                int id;
                if (eng_mqtt_publish(mqtt, &id, words[5], from, (size_t)(to - from), 1, 0)) return 75;
                waiting++;
                from = to;
            }
            if (eng_mqtt_drive(mqtt, -1, 1000)) return 75;
        }
    }
    double gap = now() - start;
    printf("%ld lines in %.3f s: %.0f a second\n", lines, gap, (double)lines / gap);
    return 0;
}
