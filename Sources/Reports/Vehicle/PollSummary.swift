import Formats
import OBDCore
import ScanSession
import TripRecorder
import TripStore
import VehicleScan

/// The summary that `live` and `log` print at the end.
package struct PollSummary {
    package var statistics: SessionStatistics
    package var trip: Int64?
    /// Batches that the view skipped for lack of time.
    package var dropped = 0
    /// The parts of the time; nil if nothing was polled.
    package var explanation: PollExplanation?
    /// Whether to print the complete explanation.
    package var explains = false
    /// Counts of a position receiver; nil without one.
    package var positions: PositionReceiver.Counts?
    /// Time, distance and number of readings of the closed trip, for people; nil = those of the session count.
    package var recorded: String?
    /// The command that shows the trip.
    package var next: String?
    /// Whether the text for people includes the speed of polling.
    package var tellsPace = false
    /// Records without an answer that a note reported during the poll.
    package var unsupported: Set<DataID> = []

    /// A summary of a session and its recorded trip.
    package init(statistics: SessionStatistics, trip: Int64? = nil) {
        self.statistics = statistics
        self.trip = trip
    }

    /// Adds the parts of the poll's time.
    package mutating func explain(_ connection: Vehicle, all: Bool, tellsPace: Bool) {
        explains = all
        self.tellsPace = all || tellsPace
        explanation = connection.scan.report.map {
            PollExplanation($0, statistics, connection.table)
        }
    }

    /// The summary as an object.
    ///
    /// With several devices, `accessory` is the device and `error` the reason why its recording
    /// failed.
    package func row(of accessory: String? = nil, error: String? = nil) -> Row {
        Row(
            "summary",
            [
                "trip": .integer(trip), "seconds": .number(statistics.seconds, places: 1),
                "readings": .integer(statistics.readings),
                "requests": .integer(statistics.requests),
                "batched": .integer(statistics.batched),
                "readingsPerSecond": .number(statistics.readingsPerSecond, places: 1),
                "roundTrip": .object([
                    "p50": .number(statistics.roundTripP50),
                    "p95": .number(statistics.roundTripP95),
                    "p99": .number(statistics.roundTripP99),
                ]),
                "timeouts": .integer(statistics.timeouts), "errors": .integer(statistics.errors),
                "reconnects": .integer(statistics.reconnects),
                "timeSpent": explanation?.timeSpent ?? .null,
                "paused": explanation?.paused ?? .null,
                "deadlines": explanation?.deadlines(all: explains) ?? .null,
                "advice": explanation.map { .texts($0.advice) } ?? .null,
                "positions": positions.map { counts in
                    .object([
                        "kept": .integer(counts.fixes), "stale": .integer(counts.stale),
                        "damaged": .integer(counts.damaged), "private": .integer(counts.hidden),
                    ])
                } ?? .null,
                "device": .text(accessory), "error": .text(error),
            ])
    }

    /// Adds the figures of the closed trip and the command that shows it.
    package mutating func take(_ store: TripStore, units: UnitSystem, usualPath: String?) {
        guard let trip else { return }
        take(try? store.trip(trip), in: store.currentPath, units: units, usualPath: usualPath)
    }

    /// Adds the figures of the closed trip, if it could be read, and the command that shows it.
    package mutating func take(
        _ stored: TripSummary?, in path: String, units: UnitSystem, usualPath: String?
    ) {
        guard let trip else { return }
        next = Self.next(trip, in: path, usualPath: usualPath)
        recorded = stored?.words(units)
    }

    /// The command that shows a trip.
    private static func next(_ trip: Int64, in path: String, usualPath: String?) -> String {
        "obdscan trips show \(trip)" + (path == usualPath ? "" : " --db \(path)")
    }

    /// The line about a trip that is a part of the session.
    package static func line(
        _ trip: Int64, _ stored: TripSummary?, in path: String, units: UnitSystem,
        usualPath: String?
    ) -> String {
        "Trip \(trip): " + (stored.map { $0.words(units) + "; " } ?? "")
            + next(trip, in: path, usualPath: usualPath)
    }

    /// The summary for people: recordings and failures, and the speed of polling if that is wanted.
    package var lines: [String] {
        guard tellsPace else { return [text] }
        let time = explains ? explanation?.lines : [explanation?.line].compactMap(\.self)
        return [text, pace] + (time ?? [])
    }

    /// The speed of polling, for people.
    private var pace: String {
        var parts = [
            "\(fixed(statistics.readingsPerSecond, 1)) readings/s",
            counted(statistics.requests, "request"),
        ]
        if statistics.batched > 1 {
            parts.append("up to \(statistics.batched) signals per request")
        }
        if let p50 = statistics.roundTripP50, let p95 = statistics.roundTripP95,
            let p99 = statistics.roundTripP99
        {
            let times = [p50, p95, p99].map { fixed($0 * 1000, 1) }.joined(separator: "/")
            parts.append("round trip \(times) ms (p50/p95/p99)")
        }
        return "Pace: " + parts.joined(separator: ", ")
    }

    /// Recordings and failures, for people.
    package var text: String {
        var parts =
            recorded.map { [$0] }
            ?? [durationText(statistics.seconds), counted(statistics.readings, "reading")]
        if statistics.timeouts > 0 { parts.append(counted(statistics.timeouts, "timeout")) }
        if statistics.errors > 0 { parts.append(counted(statistics.errors, "error")) }
        if statistics.lostFrames > 0 {
            parts.append("\(counted(statistics.lostFrames, "frame")) not read in time")
        }
        if statistics.reconnects > 0 { parts.append(counted(statistics.reconnects, "reconnect")) }
        if let positions {
            parts.append(counted(positions.fixes, "position"))
            if positions.hidden > 0 { parts.append("\(positions.hidden) private ones left out") }
            if positions.stale > 0 { parts.append("\(positions.stale) stale ones") }
            if positions.damaged > 0 {
                parts.append(counted(positions.damaged, "damaged sentence"))
            }
        }
        if dropped > 0 { parts.append("\(dropped) updates not drawn") }
        if let rests = explanation?.report.plan.rests, rests > 0,
            let rested = explanation?.report.plan.rested
        {
            parts.append("polling paused for \(durationText(rested.seconds))")
        }
        // With the times, the explanation lists these signals itself.
        if !tellsPace, let unsent = explanation?.unsent, !unsent.isEmpty {
            parts.append("not asked: " + unsent.joined(separator: " "))
        }
        if let unanswered = explanation?.unanswered(except: unsupported), !unanswered.isEmpty {
            parts.append("no answer: " + unanswered.joined(separator: " "))
        }
        let figures = parts.joined(separator: ", ")
        return (trip.map { "Trip \($0): " } ?? "") + figures + (next.map { "; " + $0 } ?? "")
    }
}

extension TripSummary {
    /// The distance for people; nil if it is unknown.
    fileprivate func distanceText(_ units: UnitSystem) -> String? {
        guard let distance else { return nil }
        let conversion = units.conversion(from: "km")
        return fixed(conversion.map { $0(distance) } ?? distance, 1) + " "
            + (conversion?.unit ?? "km")
    }

    /// Time, distance and number of readings, for people.
    package func words(_ units: UnitSystem) -> String {
        [durationText(seconds), distanceText(units), counted(readings, "reading")]
            .compactMap(\.self).joined(separator: ", ")
    }
}
