#define _GNU_SOURCE
#include "CFloors.h"

#include <sqlite3.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

double floor_now(void) { return seconds(CLOCK_MONOTONIC); }
double floor_cpu(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

long floor_peak_kilobytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static int step(sqlite3_stmt *statement) {
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    return result;
}

double floor_insert(const char *path, long rows, long each, int foreign_keys) {
    sqlite3 *db;
    sqlite3_stmt *begin, *insert, *commit;
    if (sqlite3_open(path, &db) != SQLITE_OK) return -1;
    sqlite3_exec(db, "PRAGMA synchronous = FULL", 0, 0, 0);
    sqlite3_exec(db, foreign_keys ? "PRAGMA foreign_keys = ON" : "PRAGMA foreign_keys = OFF", 0, 0,
                 0);
    sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin, 0);
    sqlite3_prepare_v2(db, "COMMIT", -1, &commit, 0);
    if (sqlite3_prepare_v2(db,
                           "INSERT INTO reading (trip, t, sequence, channel, value, raw, detail)"
                           " VALUES (?, ?, ?, ?, ?, ?, ?)",
                           -1, &insert, 0) != SQLITE_OK)
        return -1;
    double start = floor_now();
    for (long i = 0; i < rows;) {
        step(begin);
        long end = i + each < rows ? i + each : rows;
        for (; i < end; i++) {
            uint8_t raw[2];
            uint32_t number = ((uint32_t)i * 2654435761u) & 0xFFFF;
            raw[0] = number >> 8;
            raw[1] = number & 0xFF;
            sqlite3_bind_int64(insert, 1, 1);
            sqlite3_bind_int64(insert, 2, i / 5 * 100000);
            sqlite3_bind_int64(insert, 3, i % 5);
            sqlite3_bind_int64(insert, 4, i % 5 + 1);
            sqlite3_bind_double(insert, 5, number / 4.0);
            sqlite3_bind_blob(insert, 6, raw, 2, SQLITE_STATIC);
            sqlite3_bind_null(insert, 7);
            if (step(insert) != SQLITE_DONE) return -1;
        }
        step(commit);
    }
    double taken = floor_now() - start;
    sqlite3_finalize(begin);
    sqlite3_finalize(insert);
    sqlite3_finalize(commit);
    sqlite3_close(db);
    return taken;
}

double floor_scan(const char *path) {
    sqlite3 *db;
    sqlite3_stmt *select;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, 0) != SQLITE_OK) return -1;
    if (sqlite3_prepare_v2(db,
                           "SELECT t, sequence, channel, value, raw, detail FROM reading"
                           " WHERE trip = 1 ORDER BY t, sequence",
                           -1, &select, 0) != SQLITE_OK)
        return -1;
    double start = floor_now();
    volatile double sum = 0;
    while (sqlite3_step(select) == SQLITE_ROW)
        sum += sqlite3_column_double(select, 3) + sqlite3_column_bytes(select, 4);
    double taken = floor_now() - start;
    sqlite3_finalize(select);
    sqlite3_close(db);
    return taken;
}
