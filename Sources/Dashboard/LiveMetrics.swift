import Diagnostics
import OBDCore
import SystemIO
import VehicleScan
import WebServer

package enum LiveMetrics {
    /// Older readings are left out, because an old value would look like a current one.
    package static let oldest = Duration.seconds(60)

    /// All metrics, always in metric units.
    package static func text(_ board: VehicleBoard, _ table: PIDTable) -> [UInt8] {
        let status = board.status
        let now = SystemClock.now()
        var text = MetricsText()
        text.family("obdscan_info", .gauge, "The program that serves these figures.")
        text.sample("obdscan_info", [("version", status.version)], 1)
        text.family("obdscan_connected", .gauge, "Whether readings come from a vehicle.")
        text.sample("obdscan_connected", status.link == .live ? 1 : 0)
        text.family("obdscan_reading", .gauge, "The newest value of a signal, in its unit.")
        for channel in board.channels().channels
        where now - channel.seen <= oldest {
            let reading = channel.reading
            let signal = table[reading.signal]
            let value: Double
            switch reading.value {
            case .number(let number): value = number
            case .flag(let flag): value = flag ? 1 : 0
            case .label(let code): value = Double(code)
            case .text, .supportMap, .missing: continue
            }
            text.sample(
                "obdscan_reading",
                [
                    ("signal", signal.id), ("name", signal.name),
                    ("ecu", reading.ecu?.description ?? ""), ("unit", signal.unit),
                    ("pid", reading.dataID?.description ?? ""),
                ], value)
        }
        let statistics = status.statistics
        text.family("obdscan_requests_total", .counter, "Requests to the vehicle.")
        text.sample("obdscan_requests_total", Double(statistics.requests))
        text.family("obdscan_readings_total", .counter, "Readings that were decoded.")
        text.sample("obdscan_readings_total", Double(statistics.readings))
        text.family("obdscan_timeouts_total", .counter, "Requests without an answer in time.")
        text.sample("obdscan_timeouts_total", Double(statistics.timeouts))
        text.family("obdscan_errors_total", .counter, "Damaged answers and faults of the adapter.")
        text.sample("obdscan_errors_total", Double(statistics.errors))
        text.family(
            "obdscan_reconnects_total", .counter, "How many times a lost link was restored.")
        text.sample("obdscan_reconnects_total", Double(statistics.reconnects))
        text.family("obdscan_dropped_total", .counter, "Readings of more signals than are kept.")
        text.sample("obdscan_dropped_total", Double(board.dropped))
        text.family("obdscan_streams", .gauge, "Browsers that look at the readings.")
        text.sample("obdscan_streams", Double(board.watchers))
        if let seconds = statistics.roundTripP50 {
            text.family(
                "obdscan_round_trip_seconds", .gauge, "Half of all answers took no longer.")
            text.sample("obdscan_round_trip_seconds", seconds)
        }
        return text.bytes
    }
}
