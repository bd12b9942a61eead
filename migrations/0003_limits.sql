-- A limit that no value can pass, for it is the end of what two bytes hold, is none.

DROP VIEW monitor_tests;
CREATE VIEW monitor_tests AS
SELECT trip, t, time, ecu, mid, monitor, tid, test, value, minimum, maximum, unit, passed,
       min(coalesce(value - minimum, maximum - value),
           coalesce(maximum - value, value - minimum)) AS margin
FROM (
    SELECT m.trip, m.t,
           strftime('%Y-%m-%dT%H:%M:%S', (trip.start + m.t) / 1000000, 'unixepoch')
               || printf('.%06dZ', (trip.start + m.t) % 1000000) AS time,
           m.ecu, CASE WHEN m.mid IS NOT NULL THEN printf('%02X', m.mid) END AS mid, m.monitor,
           printf('%02X', m.tid) AS tid, m.test, m.value,
           -- The record ends with both limits; scalings from 80 on are signed.
           CASE WHEN CASE
               WHEN m.uas IS NULL THEN m.minimum <> 0
               WHEN length(m.raw) NOT IN (8, 9) THEN 1
               ELSE substr(m.raw, -4, 2) <> CASE WHEN m.uas >= 0x80 THEN x'8000' ELSE x'0000' END
           END THEN m.minimum END AS minimum,
           CASE WHEN CASE
               WHEN m.uas IS NULL THEN m.maximum <> 65535
               WHEN length(m.raw) NOT IN (8, 9) THEN 1
               ELSE substr(m.raw, -2) <> CASE WHEN m.uas >= 0x80 THEN x'7FFF' ELSE x'FFFF' END
           END THEN m.maximum END AS maximum,
           m.unit, m.passed
    FROM monitor_test AS m JOIN trip ON trip.id = m.trip
);
