import Formats
import ScanSession
import TripRecorder
import TripStore
import VehicleScan

/// What `live` and `log` say when they end.
package struct PollSummary {
    /// The figures.
    package var statistics: SessionStatistics
    /// The trip that was recorded.
    package var trip: Int64?
    /// Batches that the view had no time for.
    package var dropped = 0
    /// Where the time went; nil where nothing was polled.
    package var explanation: PollExplanation?
    /// Whether all of that is wanted.
    package var explains = false
    /// What came from a receiver of positions; nil without one.
    package var positions: PositionReceiver.Counts?
    /// How far the trip went, as people read it; nil where nothing tells.
    package var distance: String?
    /// What shows the trip.
    package var next: String?
    /// Whether people are told how fast it went, too.
    package var tellsPace = false

    /// A summary of what a session did, and of the trip that it recorded.
    package init(statistics: SessionStatistics, trip: Int64? = nil) {
        self.statistics = statistics
        self.trip = trip
    }

    /// Takes over where the time of the session's poll went.
    package mutating func explain(_ connection: Vehicle, all: Bool, tellsPace: Bool) {
        explains = all
        self.tellsPace = all || tellsPace
        explanation = connection.scan.report.map {
            PollExplanation($0, statistics, connection.table)
        }
    }

    /// As programs read it; where there are several accessories it says which one this is, and why
    /// its recording failed.
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
                        "damaged": .integer(counts.damaged),
                    ])
                } ?? .null,
                "device": .text(accessory), "error": .text(error),
            ])
    }

    /// Takes over what the closed trip has come to.
    package mutating func take(_ store: TripStore, units: UnitSystem, usualPath: String?) {
        guard let trip else { return }
        let isUsual = store.currentPath == usualPath
        next = "obdscan trips show \(trip)" + (isUsual ? "" : " --db \(store.currentPath)")
        guard let kilometres = try? store.trip(trip).distance else { return }
        let conversion = units.conversion(from: "km")
        distance =
            fixed(conversion.map { $0(kilometres) } ?? kilometres, 1) + " "
            + (conversion?.unit ?? "km")
    }

    /// For people: what was recorded and what failed; how fast it went where that is wanted.
    package var lines: [String] {
        guard tellsPace else { return [text] }
        let time = explains ? explanation?.lines : [explanation?.line].compactMap(\.self)
        return [text, pace] + (time ?? [])
    }

    /// How fast it went, for people.
    private var pace: String {
        var parts = [
            "\(fixed(statistics.readingsPerSecond, 1)) readings/s",
            "\(statistics.requests) requests",
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

    /// What was recorded and what failed, for people.
    package var text: String {
        var parts = [durationText(statistics.seconds)]
        if let distance { parts.append(distance) }
        parts.append(counted(statistics.readings, "reading"))
        if statistics.timeouts > 0 { parts.append(counted(statistics.timeouts, "timeout")) }
        if statistics.errors > 0 { parts.append(counted(statistics.errors, "error")) }
        if statistics.reconnects > 0 { parts.append(counted(statistics.reconnects, "reconnect")) }
        if let positions {
            parts.append(counted(positions.fixes, "position"))
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
        // With the times it is told by itself.
        if !tellsPace, let unsent = explanation?.unsent, !unsent.isEmpty {
            parts.append("not asked: " + unsent.joined(separator: " "))
        }
        if let unanswered = explanation?.unanswered, !unanswered.isEmpty {
            parts.append("no answer: " + unanswered.joined(separator: " "))
        }
        let figures = parts.joined(separator: ", ")
        return (trip.map { "Trip \($0): " } ?? "") + figures + (next.map { "; " + $0 } ?? "")
    }

    private func counted(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }
}
