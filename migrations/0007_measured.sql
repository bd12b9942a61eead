-- What diagnose and trips drift measured in a trip, so that they need not read its readings again. The row goes
-- when the readings change, and another revision of the program measures anew.

CREATE TABLE trip_measure (
    trip     INTEGER PRIMARY KEY REFERENCES trip ON DELETE CASCADE,
    revision INTEGER NOT NULL,          -- of the way in which the program measures
    numbers  TEXT NOT NULL              -- for the program only
) STRICT;
