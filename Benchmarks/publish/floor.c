// The reference for obdscan publish: the same lines in the same batches through the same libraries. They come
// from a file, which shows what sending alone costs, or from the trip of a database, which is the same work
// that publish does. `rows` and `print` send nothing: `rows` only steps over the readings in their order.
//
//   cc -O2 -ISources/CEngines/include Benchmarks/publish/floor.c Sources/CEngines/*.c -ldl -lsqlite3 -lm -o floor
//   ./floor http FILE http://HOST:PORT/write?precision=ns
//   ./floor mqtt FILE HOST PORT TOPIC
//   ./floor rows DATABASE
//   ./floor print DATABASE
//
// FILE is a file of lines, or a database whose name ends in .db.
#include "CEngines.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HTTP_LINES = 5000, MQTT_LINES = 350, MOST_WAITING = 20, LONGEST_LINE = 400, MOST_CHANNELS = 1000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long sent;

// ---- Lines of a file

static const char *file_next, *file_end;

static int open_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(size);
    if (!bytes || fread(bytes, 1, size, file) != size) return -1;
    fclose(file);
    file_next = bytes;
    file_end = bytes + size;
    return 0;
}

// ---- Lines of a database's only trip

static sqlite3 *database;
static sqlite3_stmt *statement;
static char *heads[MOST_CHANNELS], *room;
static long long start_us;
static int is_at_end;

static char *append(char *to, const char *text) {
    size_t size = strlen(text);
    memcpy(to, text, size);
    return to + size;
}

static char *tag(char *to, const char *name, const char *value) {
    if (!value || !*value) return to;
    to = append(append(append(to, ","), name), "=");
    for (; *value; value++) {
        if (strchr(", =", *value)) *to++ = '\\';
        *to++ = *value;
    }
    return to;
}

static char *whole(char *to, unsigned long long value) {
    char digits[20];
    int count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count) *to++ = digits[--count];
    return to;
}

static char *number(char *to, double value) {
    double scale = 1;
    for (int decimals = 0; decimals <= 6; decimals++, scale *= 10) {
        double scaled = round(value * scale);
        if (fabs(scaled) >= 1e15) break;
        if (scaled / scale != value) continue;
        unsigned long long all = (unsigned long long)fabs(scaled), unit = (unsigned long long)scale;
        if (value < 0) *to++ = '-';
        to = whole(to, all / unit);
        if (decimals) *to++ = '.';
        for (unsigned long long rest = all % unit; unit > 1; rest %= unit) {
            unit /= 10;
            *to++ = (char)('0' + rest / unit);
        }
        return to;
    }
    int size = 0;
    for (int digits = 15; digits <= 17; digits++) {
        size = sprintf(to, "%.*g", digits, value);
        if (strtod(to, NULL) == value) break;
    }
    return to + size;
}

static const char *column(int index) { return (const char *)sqlite3_column_text(statement, index); }

static int open_database(const char *path) {
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL)) return -1;
    const char *sql =
        "SELECT channel.id, lower(vin), vin, ecu, signal, unit, start FROM trip JOIN vehicle ON vehicle.id = trip.vehicle"
        " JOIN trip_channel ON trip_channel.trip = trip.id JOIN channel ON channel.id = trip_channel.channel";
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) return -1;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        int id = sqlite3_column_int(statement, 0);
        if (id < 0 || id >= MOST_CHANNELS) return -1;
        char line[LONGEST_LINE], *end = append(line, "obd");
        end = tag(tag(end, "vehicle", column(1)), "vin", column(2));
        end = tag(tag(tag(end, "ecu", column(3)), "signal", column(4)), "unit", column(5));
        *append(end, " value=") = 0;
        heads[id] = strdup(line);
        start_us = sqlite3_column_int64(statement, 6);
    }
    sqlite3_finalize(statement);
    room = malloc(HTTP_LINES * LONGEST_LINE);
    sql = "SELECT t, channel, value FROM reading WHERE detail IS NULL ORDER BY trip, t, sequence";
    return !room || sqlite3_prepare_v2(database, sql, -1, &statement, NULL) ? -1 : 0;
}

// The next lines, at most `lines` of them; 0 = there are none.
static size_t batch(int lines, const char **bytes) {
    if (!database) {
        const char *from = *bytes = file_next;
        for (; lines > 0 && file_next < file_end; lines--, sent++)
            file_next = (const char *)memchr(file_next, '\n', (size_t)(file_end - file_next)) + 1;
        return (size_t)(file_next - from);
    }
    char *to = room;
    for (; lines > 0 && !is_at_end; lines--, sent++) {
        // After its end, a statement would begin again.
        if ((is_at_end = sqlite3_step(statement) != SQLITE_ROW)) break;
        to = append(to, heads[sqlite3_column_int(statement, 1)]);
        to = number(to, sqlite3_column_double(statement, 2));
        *to++ = ' ';
        to = whole(to, (unsigned long long)(start_us + sqlite3_column_int64(statement, 0)));
        to = append(to, "000\n");
    }
    *bytes = room;
    return (size_t)(to - room);
}

// ---- Sending

static int is_connected, waiting;
static void connected(void *context, int reason) { (void)context, is_connected = reason == 0; }
static void disconnected(void *context, int reason) { (void)context, (void)reason, is_connected = 0; }
static void published(void *context, int id, int reason) { (void)context, (void)id, (void)reason, waiting--; }
static void received(
    void *context, const char *topic, const void *payload, size_t size, int is_retained) {
    (void)context, (void)topic, (void)payload, (void)size, (void)is_retained;
}

static int rows(void) {
    double sum = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int column = 0; column < 2; column++) sum += (double)sqlite3_column_int64(statement, column);
        sum += sqlite3_column_double(statement, 2);
        sent++;
    }
    return sum > 0 ? 0 : 65;
}

static int print(void) {
    const char *bytes;
    for (size_t size; (size = batch(HTTP_LINES, &bytes));) fwrite(bytes, 1, size, stdout);
    return 0;
}

static int http(char **words) {
    if (eng_http_open()) return 69;
    eng_http *http = eng_http_new();
    if (!http || eng_http_setup(http, "floor", NULL, NULL, 20000, 60000)) return 69;
    const char *headers[] = {"Content-Type: text/plain", "Content-Encoding: gzip"}, *bytes;
    char *packed = malloc(4 << 20);
    for (size_t size; (size = batch(HTTP_LINES, &bytes));) {
        size = eng_gzip(bytes, size, packed, 4 << 20);
        if (!size || eng_http_begin(http, words[0], headers, 2, packed, size)) return 70;
        int result;
        while (!(result = eng_http_drive(http, -1, 1000))) {}
        if (result < 0 || eng_http_status(http) / 100 != 2) return 75;
    }
    return 0;
}

static int mqtt(char **words) {
    if (eng_mqtt_open()) return 69;
    eng_mqtt_events events = {NULL, connected, disconnected, published, received};
    eng_mqtt *mqtt = eng_mqtt_new("floor", 5, NULL, NULL, events);
    if (!mqtt || eng_mqtt_connect(mqtt, words[0], atoi(words[1]), 30)) return 75;
    while (!is_connected)
        if (eng_mqtt_drive(mqtt, -1, 1000)) return 75;
    const char *bytes;
    for (size_t size = 1; size || waiting;) {
        while (size && waiting < MOST_WAITING) {
            int id;
            size = batch(MQTT_LINES, &bytes);
            if (!size) break;
            if (eng_mqtt_publish(mqtt, &id, words[2], bytes, size, 1, 0)) return 75;
            waiting++;
        }
        if (waiting && eng_mqtt_drive(mqtt, -1, 1000)) return 75;
    }
    return 0;
}

int main(int count, char **words) {
    if (count < 3) return 64;
    size_t length = strlen(words[2]);
    int is_database = length > 3 && !strcmp(words[2] + length - 3, ".db");
    if (is_database ? open_database(words[2]) : open_file(words[2])) return 66;
    double start = now();
    int result = 64;
    if (!strcmp(words[1], "print")) return print();
    if (!strcmp(words[1], "rows") && is_database) result = rows();
    if (!strcmp(words[1], "http") && count == 4) result = http(words + 3);
    if (!strcmp(words[1], "mqtt") && count == 6) result = mqtt(words + 3);
    double gap = now() - start;
    printf("%ld lines in %.3f s: %.0f a second\n", sent, gap, (double)sent / gap);
    return result;
}
