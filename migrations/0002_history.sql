-- What a trip adds up to, where it went, what people did to it, and how codes came and went.

ALTER TABLE trip ADD COLUMN name TEXT CHECK (name <> '');       -- what its owner calls it
ALTER TABLE trip ADD COLUMN deleted INTEGER;                    -- UTC; it can still be had back
ALTER TABLE trip ADD COLUMN source TEXT;                        -- digest of the file it came from
ALTER TABLE trip ADD COLUMN driven REAL CHECK (driven >= 0);    -- km, from the speed
ALTER TABLE trip ADD COLUMN odometer_start REAL;                -- km, PID A6
ALTER TABLE trip ADD COLUMN odometer_end REAL;                  -- km
ALTER TABLE trip ADD COLUMN moving INTEGER CHECK (moving >= 0); -- µs above 0 km/h
ALTER TABLE trip ADD COLUMN idle INTEGER CHECK (idle >= 0);     -- µs at 0 km/h, engine running
ALTER TABLE trip ADD COLUMN hard_brakings INTEGER CHECK (hard_brakings >= 0);
ALTER TABLE trip ADD COLUMN hard_accelerations INTEGER CHECK (hard_accelerations >= 0);

CREATE UNIQUE INDEX trip_by_source ON trip (source) WHERE source IS NOT NULL;

-- Where the vehicle was.
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

-- That an ECU answered for one of its lists of codes, and how many it named: none is news too.
CREATE TABLE code_list (
    trip     INTEGER NOT NULL REFERENCES trip ON DELETE CASCADE,
    t        INTEGER NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    ecu      TEXT,
    kind     TEXT NOT NULL CHECK (kind IN ('stored', 'pending', 'permanent')),
    codes    INTEGER NOT NULL CHECK (codes >= 0),
    PRIMARY KEY (trip, t, sequence)
) STRICT, WITHOUT ROWID;

-- When a code came into a list and when it had left it. It outlives the trips, as `code` does.
CREATE TABLE code_change (
    code    INTEGER NOT NULL REFERENCES code ON DELETE CASCADE,
    time    INTEGER NOT NULL,           -- UTC
    present INTEGER NOT NULL CHECK (present IN (0, 1)),
    PRIMARY KEY (code, time)
) STRICT, WITHOUT ROWID;

INSERT INTO code_change (code, time, present) SELECT id, first_seen, 1 FROM code;

-- What people did to trips, so that the last of it can be taken back.
CREATE TABLE trip_edit (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    time   INTEGER NOT NULL,            -- UTC
    action TEXT NOT NULL CHECK (action IN ('split', 'join', 'delete')),
    trip   INTEGER NOT NULL,            -- the trip that stayed, or was deleted
    other  INTEGER,                     -- the trip that came out of it, or went into it
    cut    INTEGER,                     -- µs of `trip` at which `other` begins
    batch  INTEGER,                     -- the first edit of the same command; null = itself
    before TEXT NOT NULL                -- JSON: what the rows of both were
) STRICT;

DROP VIEW trips;
CREATE VIEW trips AS
SELECT trip.id, trip.purpose, vehicle.vin, vehicle.name AS vehicle,
       strftime('%Y-%m-%dT%H:%M:%S', start / 1000000, 'unixepoch')
           || printf('.%06dZ', start % 1000000) AS start,
       strftime('%Y-%m-%dT%H:%M:%S', (start + duration) / 1000000, 'unixepoch')
           || printf('.%06dZ', (start + duration) % 1000000) AS "end",
       duration / 1e6 AS seconds, distance AS distance_km, readings,
       end_reason IS NULL AS open, end_reason,
       (SELECT group_concat(tag, ' ') FROM trip_tag WHERE trip_tag.trip = trip.id) AS tags,
       trip.name, driven AS driven_km, odometer_start AS odometer_start_km,
       odometer_end AS odometer_end_km, moving / 1e6 AS moving_seconds,
       idle / 1e6 AS idle_seconds, hard_brakings, hard_accelerations
FROM trip LEFT JOIN vehicle ON vehicle.id = trip.vehicle
WHERE deleted IS NULL;

DROP VIEW codes;
CREATE VIEW codes AS
SELECT vehicle.vin, code.ecu, code.kind, code.code,
       CASE WHEN code.failure_type IS NOT NULL THEN printf('%02X', code.failure_type) END
           AS failure_type,
       strftime('%Y-%m-%dT%H:%M:%SZ', code.first_seen / 1000000, 'unixepoch') AS first_seen,
       strftime('%Y-%m-%dT%H:%M:%SZ', code.last_seen / 1000000, 'unixepoch') AS last_seen,
       code.reports,
       (SELECT present FROM code_change WHERE code_change.code = code.id
            ORDER BY time DESC LIMIT 1) AS present
FROM code LEFT JOIN vehicle ON vehicle.id = code.vehicle;

CREATE VIEW code_changes AS
SELECT strftime('%Y-%m-%dT%H:%M:%SZ', code_change.time / 1000000, 'unixepoch') AS time,
       vehicle.vin, code.ecu, code.kind, code.code,
       CASE WHEN code.failure_type IS NOT NULL THEN printf('%02X', code.failure_type) END
           AS failure_type,
       CASE code_change.present WHEN 1 THEN 'came' ELSE 'gone' END AS change
FROM code_change JOIN code ON code.id = code_change.code
    LEFT JOIN vehicle ON vehicle.id = code.vehicle;

CREATE VIEW positions AS
SELECT position.trip, position.t,
       strftime('%Y-%m-%dT%H:%M:%S', (trip.start + position.t) / 1000000, 'unixepoch')
           || printf('.%06dZ', (trip.start + position.t) % 1000000) AS time,
       latitude, longitude, altitude, speed, course, accuracy
FROM position JOIN trip ON trip.id = position.trip;

CREATE VIEW monitor_tests AS
SELECT m.trip, m.t,
       strftime('%Y-%m-%dT%H:%M:%S', (trip.start + m.t) / 1000000, 'unixepoch')
           || printf('.%06dZ', (trip.start + m.t) % 1000000) AS time,
       m.ecu, CASE WHEN m.mid IS NOT NULL THEN printf('%02X', m.mid) END AS mid, m.monitor,
       printf('%02X', m.tid) AS tid, m.test, m.value, m.minimum, m.maximum, m.unit, m.passed,
       min(coalesce(m.value - m.minimum, m.maximum - m.value),
           coalesce(m.maximum - m.value, m.value - m.minimum)) AS margin
FROM monitor_test AS m JOIN trip ON trip.id = m.trip;

CREATE VIEW notes AS
SELECT note.trip, note.t,
       CASE WHEN note.t IS NOT NULL THEN
            strftime('%Y-%m-%dT%H:%M:%S', (trip.start + note.t) / 1000000, 'unixepoch')
                || printf('.%06dZ', (trip.start + note.t) % 1000000) END AS time,
       note.text
FROM note JOIN trip ON trip.id = note.trip;
