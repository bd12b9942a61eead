-- obdscan's database. What is released is never edited: a change is a new file.
--
-- Times: `start`, `first_seen`, … are UTC in microseconds since 1970. `t` is microseconds of the
-- monotonic clock since the trip's start, so that setting the clock reorders nothing.
-- Values are metric, always.

PRAGMA application_id = 1329742931;  -- "OBDS"

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

CREATE TABLE ecu (
    id      INTEGER PRIMARY KEY,
    vehicle INTEGER NOT NULL REFERENCES vehicle ON DELETE CASCADE,
    address TEXT NOT NULL,              -- as on the wire: 7E8, 18DAF110, 10; empty = not shown
    name    TEXT,                       -- as it names itself
    UNIQUE (vehicle, address)
) STRICT;

-- Which identifiers an ECU announced, as it said it: most significant bit = base + 1.
CREATE TABLE ecu_support (
    ecu     INTEGER NOT NULL REFERENCES ecu ON DELETE CASCADE,
    service INTEGER NOT NULL CHECK (service BETWEEN 0 AND 255),
    base    INTEGER NOT NULL CHECK (base BETWEEN 0 AND 224 AND base % 32 = 0),
    map     INTEGER NOT NULL CHECK (map BETWEEN 0 AND 4294967295),
    PRIMARY KEY (ecu, service, base)
) STRICT, WITHOUT ROWID;

CREATE TABLE ecu_calibration (
    ecu     INTEGER NOT NULL REFERENCES ecu ON DELETE CASCADE,
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    calid   TEXT,
    cvn     TEXT,
    PRIMARY KEY (ecu, ordinal),
    CHECK (calid IS NOT NULL OR cvn IS NOT NULL)
) STRICT, WITHOUT ROWID;

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

-- One stretch of data from one accessory: a drive (log), a short look (scan), or an import.
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
) STRICT;

CREATE INDEX trip_by_start ON trip (start);

CREATE TABLE trip_tag (
    trip INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    tag  TEXT NOT NULL CHECK (tag <> ''),
    PRIMARY KEY (trip, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE note (
    id   INTEGER PRIMARY KEY,
    trip INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t    INTEGER,                       -- null = about the whole trip
    text TEXT NOT NULL CHECK (text <> '')
) STRICT;

CREATE INDEX note_by_trip ON note (trip, t);

-- A signal of an ECU as the table of its day described it; readings carry its number.
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

CREATE UNIQUE INDEX channel_identity ON channel (
    signal, coalesce(ecu, ''), coalesce(service, -1), coalesce(identifier, -1),
    coalesce(frame, -1), coalesce(dtc, ''), name, unit, kind);

CREATE TABLE channel_label (
    channel INTEGER NOT NULL REFERENCES channel ON DELETE CASCADE,
    code    INTEGER NOT NULL,
    label   TEXT NOT NULL,
    PRIMARY KEY (channel, code)
) STRICT, WITHOUT ROWID;

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

-- The bulk. A record (one identifier's data of one ECU) is one row for each of its signals, in bit
-- order; its raw bytes stand in the first, null in the others; x'' = there are none. So a better
-- table can decode it again.
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

-- Codes as they were reported during a trip.
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

-- The history of codes. It outlives the trips that it was gathered from.
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

CREATE UNIQUE INDEX code_identity ON code (
    coalesce(vehicle, 0), coalesce(ecu, ''), kind, code, coalesce(failure_type, -1));

-- Messages that no table decodes, so that a later one can.
CREATE TABLE message (
    trip     INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t        INTEGER NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    ecu      TEXT,
    pgn      INTEGER CHECK (pgn BETWEEN 0 AND 262143),  -- J1939, whose payload is data alone
    payload  BLOB NOT NULL,             -- response id and data
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

-- What else happened, faults above all.
CREATE TABLE event (
    trip     INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t        INTEGER NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    kind     TEXT NOT NULL CHECK (kind IN
             ('timeout', 'negativeResponse', 'adapterStatus', 'linkError', 'decodeError',
              'linkLost', 'reconnected', 'gap', 'codesCleared')),
    ecu      TEXT,
    service  INTEGER CHECK (service BETWEEN 0 AND 255),
    code     TEXT,                      -- NRC in hexadecimal, name of an adapter status
    duration INTEGER CHECK (duration >= 0),  -- µs that a gap or an outage took
    text     TEXT NOT NULL,             -- for people
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

-- Views: what people and programs read. `t` is there so that a range of it uses the key.

CREATE VIEW trips AS
SELECT trip.id, trip.purpose, vehicle.vin, vehicle.name AS vehicle,
       strftime('%Y-%m-%dT%H:%M:%S', start / 1000000, 'unixepoch')
           || printf('.%06dZ', start % 1000000) AS start,
       strftime('%Y-%m-%dT%H:%M:%S', (start + duration) / 1000000, 'unixepoch')
           || printf('.%06dZ', (start + duration) % 1000000) AS "end",
       duration / 1e6 AS seconds, distance AS distance_km, readings,
       end_reason IS NULL AS open, end_reason,
       (SELECT group_concat(tag, ' ') FROM trip_tag WHERE trip_tag.trip = trip.id) AS tags
FROM trip LEFT JOIN vehicle ON vehicle.id = trip.vehicle;

CREATE VIEW readings AS
SELECT r.trip, r.t,
       strftime('%Y-%m-%dT%H:%M:%S', (trip.start + r.t) / 1000000, 'unixepoch')
           || printf('.%06dZ', (trip.start + r.t) % 1000000) AS time,
       c.ecu, CASE WHEN c.service IS NOT NULL THEN printf('%02X', c.service) END AS service,
       CASE WHEN c.service IS NULL THEN NULL
            WHEN c.service = 254 THEN printf('%06X', c.identifier)
            WHEN c.service = 34 OR c.identifier > 255 THEN printf('%04X', c.identifier)
            ELSE printf('%02X', c.identifier) END AS pid,
       c.frame, c.dtc, c.signal, c.name,
       CASE WHEN typeof(r.detail) = 'integer' THEN NULL
            WHEN c.kind = 'enumeration' THEN
                (SELECT label FROM channel_label WHERE channel = c.id AND code = r.value)
            ELSE coalesce(r.detail, r.value) END AS value,
       nullif(c.unit, '') AS unit,
       hex(coalesce(r.raw, (SELECT f.raw FROM reading AS f
           WHERE f.trip = r.trip AND f.t = r.t AND f.sequence < r.sequence AND f.raw IS NOT NULL
           ORDER BY f.sequence DESC LIMIT 1))) AS raw,
       CASE WHEN typeof(r.detail) = 'integer' THEN
            CASE r.detail WHEN 1 THEN 'notSupported' WHEN 2 THEN 'notAvailable'
                          WHEN 3 THEN 'tooShort' WHEN 4 THEN 'undefined' END END AS status,
       CASE WHEN typeof(r.detail) = 'integer' OR c.kind IN ('enumeration', 'supportMap')
            THEN CAST(r.value AS INTEGER) END AS code
FROM reading AS r CROSS JOIN channel AS c CROSS JOIN trip
WHERE c.id = r.channel AND trip.id = r.trip;

CREATE VIEW freeze_frames AS
SELECT trip, t, time, ecu, pid, frame, dtc, signal, name, value, unit, raw, status, code
FROM readings WHERE service = '02';

CREATE VIEW signals AS
SELECT trip, channel, ecu,
       CASE WHEN service IS NOT NULL THEN printf('%02X', service) END AS service, signal, name,
       nullif(unit, '') AS unit, readings, minimum, maximum,
       CASE WHEN numbers > 0 THEN total / numbers END AS mean
FROM trip_channel JOIN channel ON channel.id = trip_channel.channel;

CREATE VIEW codes AS
SELECT vehicle.vin, code.ecu, code.kind, code.code,
       CASE WHEN code.failure_type IS NOT NULL THEN printf('%02X', code.failure_type) END
           AS failure_type,
       strftime('%Y-%m-%dT%H:%M:%SZ', code.first_seen / 1000000, 'unixepoch') AS first_seen,
       strftime('%Y-%m-%dT%H:%M:%SZ', code.last_seen / 1000000, 'unixepoch') AS last_seen,
       code.reports
FROM code LEFT JOIN vehicle ON vehicle.id = code.vehicle;

CREATE VIEW events AS
SELECT event.trip, event.t,
       strftime('%Y-%m-%dT%H:%M:%S', (trip.start + event.t) / 1000000, 'unixepoch')
           || printf('.%06dZ', (trip.start + event.t) % 1000000) AS time,
       event.kind, event.ecu,
       CASE WHEN event.service IS NOT NULL THEN printf('%02X', event.service) END AS service,
       event.code,
       event.duration / 1e6 AS seconds, event.text
FROM event JOIN trip ON trip.id = event.trip;
