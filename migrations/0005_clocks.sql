-- The clock that a trip's times come from, and whether it was set. A machine without a battery clock goes
-- on from its last shutdown, and learns how late it is minutes later.

ALTER TABLE trip ADD COLUMN boot TEXT;          -- the kernel's id of the boot; null = unknown
ALTER TABLE trip ADD COLUMN boot_time INTEGER;  -- UTC of that boot by the clock that `start` is from
ALTER TABLE trip ADD COLUMN clock TEXT          -- null = unknown
    CHECK (clock IN ('set', 'unset'));

CREATE INDEX trip_by_clock ON trip (clock) WHERE clock = 'unset';

-- An event says that the clock was set. The view has to be away while its table is replaced.
DROP VIEW events;
CREATE TABLE event_5 (
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
INSERT INTO event_5 SELECT trip, t, sequence, kind, ecu, service, code, duration, text FROM event;
DROP TABLE event;
ALTER TABLE event_5 RENAME TO event;
CREATE VIEW events AS
SELECT event.trip, event.t,
       strftime('%Y-%m-%dT%H:%M:%S', (trip.start + event.t) / 1000000, 'unixepoch')
           || printf('.%06dZ', (trip.start + event.t) % 1000000) AS time,
       event.kind, event.ecu,
       CASE WHEN event.service IS NOT NULL THEN printf('%02X', event.service) END AS service,
       event.code,
       event.duration / 1e6 AS seconds, event.text
FROM event JOIN trip ON trip.id = event.trip;

-- Two more edits: a trip whose times were moved by hand, and one that was too old to keep.
CREATE TABLE trip_edit_5 (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    time   INTEGER NOT NULL,            -- UTC
    action TEXT NOT NULL CHECK (action IN ('split', 'join', 'delete', 'expire', 'shift')),
    trip   INTEGER NOT NULL,            -- the trip that stayed, was moved or was deleted
    other  INTEGER,                     -- the trip that came out of it, or went into it
    cut    INTEGER,                     -- µs of `trip` at which `other` begins; µs of a shift
    batch  INTEGER,                     -- the first edit of the same command; null = itself
    before TEXT NOT NULL                -- JSON: what the rows of both were
) STRICT;
INSERT INTO trip_edit_5 SELECT id, time, action, trip, other, cut, batch, before FROM trip_edit;
DROP TABLE trip_edit;
ALTER TABLE trip_edit_5 RENAME TO trip_edit;

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
       idle / 1e6 AS idle_seconds, hard_brakings, hard_accelerations,
       CAST(start / 1e6 AS DOUBLE) AS start_epoch,
       CAST((start + duration) / 1e6 AS DOUBLE) AS end_epoch, clock
FROM trip LEFT JOIN vehicle ON vehicle.id = trip.vehicle
WHERE deleted IS NULL;

-- The rows of `trips` without functions that make text, so that each column has a type in DuckDB.
CREATE VIEW trip_totals AS
SELECT trip.id, trip.purpose, vehicle.vin, vehicle.name AS vehicle, trip.name,
       CAST(start / 1e6 AS DOUBLE) AS start_epoch,
       CAST((start + duration) / 1e6 AS DOUBLE) AS end_epoch,
       CAST(duration / 1e6 AS DOUBLE) AS seconds, CAST(distance AS DOUBLE) AS distance_km,
       readings, CAST(end_reason IS NULL AS INTEGER) AS open, end_reason,
       CAST(driven AS DOUBLE) AS driven_km, CAST(odometer_start AS DOUBLE) AS odometer_start_km,
       CAST(odometer_end AS DOUBLE) AS odometer_end_km,
       CAST(moving / 1e6 AS DOUBLE) AS moving_seconds, CAST(idle / 1e6 AS DOUBLE) AS idle_seconds,
       hard_brakings, hard_accelerations, clock
FROM trip LEFT JOIN vehicle ON vehicle.id = trip.vehicle
WHERE deleted IS NULL;
