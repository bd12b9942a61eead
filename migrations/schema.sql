CREATE TABLE accessory (
    id                INTEGER PRIMARY KEY,
    address           TEXT NOT NULL UNIQUE,   -- serial:/dev/serial/by-id/…, rfcomm:…, tcp:…
    dialect           TEXT,                   -- protocol string: org.obdscan.elm327
    line_rate         INTEGER CHECK (line_rate > 0),  -- baud
    name              TEXT,
    manufacturer      TEXT,
    model             TEXT,
    serial_number     TEXT,
    firmware          TEXT,
    hardware          TEXT,
    items_per_request INTEGER CHECK (items_per_request BETWEEN 1 AND 6),
    vehicle           INTEGER REFERENCES vehicle ON DELETE SET NULL,  -- the last one
    protocol          INTEGER CHECK (protocol BETWEEN 1 AND 12),      -- the last one
    first_seen        INTEGER NOT NULL,
    last_seen         INTEGER NOT NULL
) STRICT;

CREATE TABLE accessory_quirk (
    accessory INTEGER NOT NULL REFERENCES accessory ON DELETE CASCADE,
    quirk     TEXT NOT NULL,
    PRIMARY KEY (accessory, quirk)
) STRICT, WITHOUT ROWID;

CREATE TABLE channel (
    id         INTEGER PRIMARY KEY,
    ecu        TEXT,                    -- null = headers were off, or the adapter itself
    service    INTEGER CHECK (service BETWEEN 0 AND 255),
    identifier INTEGER CHECK (identifier >= 0),
    frame      INTEGER CHECK (frame BETWEEN 0 AND 255),  -- freeze frames
    dtc        TEXT,                    -- the code that froze the frame
    signal     TEXT NOT NULL,
    name       TEXT NOT NULL,
    unit       TEXT NOT NULL,           -- empty = none
    kind       TEXT NOT NULL CHECK (kind IN
               ('number', 'flag', 'enumeration', 'supportMap', 'code', 'text', 'bytes')),
    CHECK ((service IS NULL) = (identifier IS NULL))
) STRICT;

CREATE TABLE channel_label (
    channel INTEGER NOT NULL REFERENCES channel ON DELETE CASCADE,
    code    INTEGER NOT NULL,
    label   TEXT NOT NULL,
    PRIMARY KEY (channel, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE code (
    id           INTEGER PRIMARY KEY,
    vehicle      INTEGER REFERENCES vehicle ON DELETE CASCADE,
    ecu          TEXT,
    kind         TEXT NOT NULL CHECK (kind IN ('stored', 'pending', 'permanent')),
    code         TEXT NOT NULL,
    failure_type INTEGER CHECK (failure_type BETWEEN 0 AND 255),
    first_seen   INTEGER NOT NULL,
    last_seen    INTEGER NOT NULL,
    reports      INTEGER NOT NULL CHECK (reports > 0)
) STRICT;

CREATE TABLE code_change (
    code    INTEGER NOT NULL REFERENCES code ON DELETE CASCADE,
    time    INTEGER NOT NULL,           -- UTC
    present INTEGER NOT NULL CHECK (present IN (0, 1)),
    PRIMARY KEY (code, time)
) STRICT, WITHOUT ROWID;

CREATE TABLE code_list (
    trip     INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t        INTEGER NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    ecu      TEXT,
    kind     TEXT NOT NULL CHECK (kind IN ('stored', 'pending', 'permanent')),
    codes    INTEGER NOT NULL CHECK (codes >= 0),
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE code_report (
    trip         INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t            INTEGER NOT NULL,
    sequence     INTEGER NOT NULL CHECK (sequence >= 0),
    ecu          TEXT,
    kind         TEXT NOT NULL CHECK (kind IN ('stored', 'pending', 'permanent')),
    code         TEXT NOT NULL,         -- P0301, SPN609/FMI19
    failure_type INTEGER CHECK (failure_type BETWEEN 0 AND 255),
    status_byte  INTEGER CHECK (status_byte BETWEEN 0 AND 255),
    severity     INTEGER CHECK (severity BETWEEN 0 AND 255),
    occurrences  INTEGER CHECK (occurrences BETWEEN 0 AND 126),  -- J1939
    conversion   INTEGER CHECK (conversion IN (0, 1)),           -- J1939 conversion method
    lamps        INTEGER CHECK (lamps BETWEEN 0 AND 255),        -- J1939, two bits a lamp
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE ecu (
    id      INTEGER PRIMARY KEY,
    vehicle INTEGER NOT NULL REFERENCES vehicle ON DELETE CASCADE,
    address TEXT NOT NULL,              -- as on the wire: 7E8, 18DAF110, 10; empty = not shown
    name    TEXT,                       -- as it names itself
    UNIQUE (vehicle, address)
) STRICT;

CREATE TABLE ecu_calibration (
    ecu     INTEGER NOT NULL REFERENCES ecu ON DELETE CASCADE,
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    calid   TEXT,
    cvn     TEXT,
    PRIMARY KEY (ecu, ordinal),
    CHECK (calid IS NOT NULL OR cvn IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE ecu_support (
    ecu     INTEGER NOT NULL REFERENCES ecu ON DELETE CASCADE,
    service INTEGER NOT NULL CHECK (service BETWEEN 0 AND 255),
    base    INTEGER NOT NULL CHECK (base BETWEEN 0 AND 224 AND base % 32 = 0),
    map     INTEGER NOT NULL CHECK (map BETWEEN 0 AND 4294967295),
    PRIMARY KEY (ecu, service, base)
) STRICT, WITHOUT ROWID;

CREATE TABLE "event" (
    trip     INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t        INTEGER NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    kind     TEXT NOT NULL CHECK (kind IN
             ('timeout', 'negativeResponse', 'adapterStatus', 'linkError', 'decodeError',
              'linkLost', 'reconnected', 'gap', 'codesCleared', 'clockSet')),
    ecu      TEXT,
    service  INTEGER CHECK (service BETWEEN 0 AND 255),
    code     TEXT,                      -- NRC in hexadecimal, name of an adapter status
    duration INTEGER CHECK (duration >= 0),  -- µs that a gap or an outage took, or of a clock's step
    text     TEXT NOT NULL,             -- for people
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE held_event (
    trip     INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t        INTEGER NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 0),  -- the order in which both tables got their rows
    kind     TEXT NOT NULL CHECK (kind IN
             ('timeout', 'negativeResponse', 'adapterStatus', 'linkError', 'decodeError',
              'linkLost', 'reconnected', 'gap', 'codesCleared', 'clockSet')),
    ecu      TEXT,
    service  INTEGER CHECK (service BETWEEN 0 AND 255),
    code     TEXT,
    duration INTEGER CHECK (duration >= 0),
    text     TEXT NOT NULL,
    settled  INTEGER NOT NULL DEFAULT 0 CHECK (settled IN (0, 1)),  -- whether the trip has it, or never will
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE held_position (
    trip      INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t         INTEGER NOT NULL,
    sequence  INTEGER NOT NULL CHECK (sequence >= 0),
    latitude  REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
    longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
    altitude  REAL,
    speed     REAL CHECK (speed >= 0),
    course    REAL CHECK (course >= 0 AND course < 360),
    accuracy  REAL CHECK (accuracy >= 0),
    fix_time  INTEGER,
    settled   INTEGER NOT NULL DEFAULT 0 CHECK (settled IN (0, 1)),
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
    trip     INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t        INTEGER NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    ecu      TEXT,
    pgn      INTEGER CHECK (pgn BETWEEN 0 AND 262143),  -- J1939, whose payload is data alone
    payload  BLOB NOT NULL,             -- response id and data
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE monitor (
    trip      INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t         INTEGER NOT NULL,
    sequence  INTEGER NOT NULL CHECK (sequence >= 0),
    ecu       TEXT,
    scope     TEXT NOT NULL CHECK (scope IN ('sinceClear', 'thisCycle')),
    monitor   TEXT NOT NULL,
    supported INTEGER NOT NULL CHECK (supported IN (0, 1)),
    complete  INTEGER CHECK (complete IN (0, 1)),
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE monitor_test (
    trip      INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t         INTEGER NOT NULL,
    sequence  INTEGER NOT NULL CHECK (sequence >= 0),
    ecu       TEXT,
    mid       INTEGER CHECK (mid BETWEEN 0 AND 255),      -- null before CAN
    monitor   TEXT,
    tid       INTEGER NOT NULL CHECK (tid BETWEEN 0 AND 255),
    test      TEXT,
    component INTEGER CHECK (component BETWEEN 0 AND 127), -- before CAN
    uas       INTEGER CHECK (uas BETWEEN 0 AND 255),
    value     REAL,
    minimum   REAL,
    maximum   REAL,
    unit      TEXT,
    passed    INTEGER CHECK (passed IN (0, 1)),
    raw       BLOB NOT NULL,
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE note (
    id   INTEGER PRIMARY KEY,
    trip INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t    INTEGER,                       -- null = about the whole trip
    text TEXT NOT NULL CHECK (text <> '')
) STRICT;

CREATE TABLE position (
    trip      INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t         INTEGER NOT NULL,
    sequence  INTEGER NOT NULL CHECK (sequence >= 0),
    latitude  REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),     -- degrees, WGS 84
    longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),  -- degrees, WGS 84
    altitude  REAL,                     -- m above mean sea level; null without a fix in three
    speed     REAL CHECK (speed >= 0),  -- km/h over ground
    course    REAL CHECK (course >= 0 AND course < 360),  -- degrees from true north
    accuracy  REAL CHECK (accuracy >= 0),                 -- m, horizontal
    fix_time  INTEGER,                  -- UTC by the receiver
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE reading (
    trip     INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t        INTEGER NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 0),  -- what came at the same t, in order
    channel  INTEGER NOT NULL REFERENCES channel,
    value    REAL,                      -- number; flag 0 or 1; code of an enumeration or map
    raw      BLOB,
    detail   ANY,                       -- text: the value itself; number: why there is none
                                        -- (1 notSupported, 2 notAvailable, 3 tooShort, 4 undefined)
    PRIMARY KEY (trip, t, sequence),
    CHECK (value IS NOT NULL OR detail IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE trip (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    purpose    TEXT NOT NULL CHECK (purpose IN ('log', 'scan', 'import')),
    vehicle    INTEGER REFERENCES vehicle ON DELETE SET NULL,
    accessory  INTEGER REFERENCES accessory ON DELETE SET NULL,
    start      INTEGER NOT NULL,        -- UTC
    monotonic  INTEGER NOT NULL,        -- the monotonic clock at the same moment, nanoseconds
    duration   INTEGER NOT NULL DEFAULT 0,  -- µs to its end; while open, to the last row
    readings   INTEGER NOT NULL DEFAULT 0 CHECK (readings >= 0),
    distance   REAL CHECK (distance >= 0),  -- km
    end_reason TEXT CHECK (end_reason IN
               ('stopped', 'duration', 'vehicleOff', 'linkLost', 'failed', 'crashed', 'imported')),
    writer     TEXT                     -- the process that writes it: boot, pid, start
, name TEXT CHECK (name <> ''), deleted INTEGER, source TEXT, driven REAL CHECK (driven >= 0), odometer_start REAL, odometer_end REAL, moving INTEGER CHECK (moving >= 0), idle INTEGER CHECK (idle >= 0), hard_brakings INTEGER CHECK (hard_brakings >= 0), hard_accelerations INTEGER CHECK (hard_accelerations >= 0), boot TEXT, boot_time INTEGER, clock TEXT          -- null = unknown
    CHECK (clock IN ('set', 'unset')), file TEXT) STRICT;

CREATE TABLE trip_channel (
    trip     INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    channel  INTEGER NOT NULL REFERENCES channel,
    readings INTEGER NOT NULL CHECK (readings > 0),
    numbers  INTEGER NOT NULL CHECK (numbers BETWEEN 0 AND readings),
    total    REAL NOT NULL,             -- of `numbers` values; mean = total / numbers
    minimum  REAL,
    maximum  REAL,
    PRIMARY KEY (trip, channel)
) STRICT, WITHOUT ROWID;

CREATE TABLE "trip_edit" (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    time   INTEGER NOT NULL,            -- UTC
    action TEXT NOT NULL CHECK (action IN ('split', 'join', 'delete', 'expire', 'shift')),
    trip   INTEGER NOT NULL,            -- the trip that stayed, was moved or was deleted
    other  INTEGER,                     -- the trip that came out of it, or went into it
    cut    INTEGER,                     -- µs of `trip` at which `other` begins; µs of a shift
    batch  INTEGER,                     -- the first edit of the same command; null = itself
    before TEXT NOT NULL                -- JSON: what the rows of both were
) STRICT;

CREATE TABLE trip_measure (
    trip     INTEGER PRIMARY KEY REFERENCES trip ON DELETE CASCADE,
    revision INTEGER NOT NULL,          -- of the way in which the program measures
    numbers  TEXT NOT NULL              -- for the program only
) STRICT;

CREATE TABLE trip_tag (
    trip INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    tag  TEXT NOT NULL CHECK (tag <> ''),
    PRIMARY KEY (trip, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE vehicle (
    id         INTEGER PRIMARY KEY,
    vin        TEXT UNIQUE
               CHECK (length(vin) = 17 AND vin NOT GLOB '*[^0-9A-HJ-NPR-Z]*'),
    name       TEXT,                    -- what its owner calls it
    protocol   INTEGER CHECK (protocol BETWEEN 1 AND 12),  -- AT SP number that worked last
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    CHECK (vin IS NOT NULL OR name IS NOT NULL)
) STRICT;
