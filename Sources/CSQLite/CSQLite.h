// SQLite, and what Swift cannot import from its header: macros, and a function with any number of
// arguments.
#ifndef CSQLITE_H
#define CSQLITE_H

// The manifest checks for the headers first. It does not run again if SwiftPM has cached its result from a
// time when they existed, so this line reports what to do in that case.
#if !__has_include(<sqlite3.h>)
#error "obdscan needs libsqlite3-dev libbluetooth-dev: sudo apt-get install libsqlite3-dev libbluetooth-dev"
#endif

#include <sqlite3.h>

static const int csqlite_ioerr_read = SQLITE_IOERR_READ;
static const int csqlite_ioerr_shmsize = SQLITE_IOERR_SHMSIZE;

/// Binds a text, which SQLite copies.
static inline int csqlite_bind_text(
    sqlite3_stmt *statement, int place, const char *text, sqlite3_uint64 size) {
    return sqlite3_bind_text64(statement, place, text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds bytes, which SQLite copies.
static inline int csqlite_bind_blob(
    sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 size) {
    return sqlite3_bind_blob64(statement, place, bytes, size, SQLITE_TRANSIENT);
}

/// Makes a text in double quotes an error where no column has that name.
static inline void csqlite_refuse_quoted_strings(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

#endif
