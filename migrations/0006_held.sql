-- Positions and events of a time in which the link is lost, so that another vehicle may be connected when it is
-- back. They are a part of their trip once its vehicle is known to be the same, or the trip ends before that.

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

-- The file of an imported trip, by its contents: another import of the same file replaces the trip.

ALTER TABLE trip ADD COLUMN file TEXT;

CREATE INDEX trip_by_file ON trip (file) WHERE file IS NOT NULL;
