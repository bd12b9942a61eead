-- Times as seconds since 1970 beside their text, for charts and for programs that would take the text
-- apart, and numbers in columns that have a type: DOUBLE and BIGINT are what DuckDB reads as such.

DROP VIEW readings;
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
            THEN CAST(r.value AS INTEGER) END AS code,
       CAST(CASE WHEN r.detail IS NULL THEN r.value END AS DOUBLE) AS number,
       CAST((trip.start + r.t) / 1e6 AS DOUBLE) AS epoch
FROM reading AS r CROSS JOIN channel AS c CROSS JOIN trip
WHERE c.id = r.channel AND trip.id = r.trip;

DROP VIEW positions;
CREATE VIEW positions AS
SELECT position.trip, position.t,
       strftime('%Y-%m-%dT%H:%M:%S', (trip.start + position.t) / 1000000, 'unixepoch')
           || printf('.%06dZ', (trip.start + position.t) % 1000000) AS time,
       latitude, longitude, altitude, speed, course, accuracy,
       CAST((trip.start + position.t) / 1e6 AS DOUBLE) AS epoch
FROM position JOIN trip ON trip.id = position.trip;

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
       CAST((start + duration) / 1e6 AS DOUBLE) AS end_epoch
FROM trip LEFT JOIN vehicle ON vehicle.id = trip.vehicle
WHERE deleted IS NULL;

-- Without text: each column has a type, and no time is taken apart. DuckDB takes every column of a view
-- for text when one of them calls strftime.

CREATE VIEW samples AS
SELECT r.trip, r.t, CAST((trip.start + r.t) / 1e6 AS DOUBLE) AS epoch, vehicle.vin,
       vehicle.name AS vehicle, c.ecu, c.signal, c.name, nullif(c.unit, '') AS unit,
       CAST(r.value AS DOUBLE) AS number
FROM reading AS r CROSS JOIN channel AS c CROSS JOIN trip
    LEFT JOIN vehicle ON vehicle.id = trip.vehicle
WHERE c.id = r.channel AND trip.id = r.trip AND r.detail IS NULL AND c.frame IS NULL
    AND trip.deleted IS NULL;
