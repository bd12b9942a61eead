import ScanSession
import TripExport

/// What `live` and `log` say when they end.
struct Summary {
    /// The figures.
    var statistics: SessionStatistics
    /// The trip that was recorded.
    var trip: Int64?
    /// Batches that the view had no time for.
    var dropped = 0
    /// Where the time went; nil where nothing was polled.
    var explanation: PollExplanation?
    /// Whether all of that is wanted.
    var explains = false
    /// What came from a receiver of positions; nil without one.
    var positions: PositionReceiver.Counts?

    /// Takes over where the time of the session's poll went.
    mutating func explain(_ connection: Connection, all: Bool) {
        explains = all
        explanation = connection.scan.report.map {
            PollExplanation($0, statistics, connection.table)
        }
    }

    /// Appends the JSON object; where there are several accessories it tells which one this is, and
    /// why its recording failed.
    func append(
        to output: inout [UInt8], of accessory: String? = nil, failure: Failure? = nil
    ) {
        var roundTrip = JSONObject()
        roundTrip.add("p50", statistics.roundTripP50)
        roundTrip.add("p95", statistics.roundTripP95)
        roundTrip.add("p99", statistics.roundTripP99)
        var object = JSONObject()
        object.add("kind", "summary")
        object.add("trip", trip.map { Int($0) })
        object.add("seconds", rounded(statistics.seconds))
        object.add("readings", statistics.readings)
        object.add("requests", statistics.requests)
        object.add("batched", statistics.batched)
        object.add("readingsPerSecond", rounded(statistics.readingsPerSecond))
        object.add("roundTrip", roundTrip)
        object.add("timeouts", statistics.timeouts)
        object.add("errors", statistics.errors)
        object.add("reconnects", statistics.reconnects)
        explanation?.add(to: &object, everything: explains)
        if let accessory {
            object.add("accessory", accessory)
            object.add("error", failure?.message)
        }
        if let positions {
            var part = JSONObject()
            part.add("kept", positions.fixes)
            part.add("stale", positions.stale)
            part.add("damaged", positions.damaged)
            object.add("positions", part)
        }
        object.append(to: &output)
    }

    /// For people: the figures, then where the time went.
    var lines: [String] {
        guard let explanation else { return [text] }
        return [text] + (explains ? explanation.lines : [explanation.line].compactMap(\.self))
    }

    /// The figures for people.
    var text: String {
        var parts = [
            "\(statistics.readings) readings in \(clockText(statistics.seconds.rounded()))",
            "\(fixed(statistics.readingsPerSecond, 1)) readings/s",
            "\(statistics.requests) requests",
        ]
        if statistics.batched > 1 { parts.append("up to \(statistics.batched) signals a request") }
        if let p50 = statistics.roundTripP50, let p95 = statistics.roundTripP95,
            let p99 = statistics.roundTripP99
        {
            let times = [p50, p95, p99].map { fixed($0 * 1000, 1) }.joined(separator: "/")
            parts.append("round trip \(times) ms (p50/p95/p99)")
        }
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
            parts.append("asking paused for \(clockText(rested.seconds))")
        }
        return (trip.map { "Trip \($0): " } ?? "") + parts.joined(separator: ", ")
    }

    private func counted(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
