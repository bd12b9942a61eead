import Diagnostics
import OBDCore
import SystemIO

/// The alarms that are not over, shown in one line.
package struct RaisedAlarms: Sendable {
    private struct Raised {
        var alarm: Alarm
        var ecu: ECUAddress?
        /// Unit of the limit; empty if it has none.
        var unit: String
        var start: UTC
    }

    /// The newest last.
    private var raised: [Raised] = []

    package init() {}

    /// Records that an alarm began or ended; `unit` is the unit of its limit.
    package mutating func take(_ news: AlarmNews, unit: String, at time: UTC) {
        raised.removeAll { $0.alarm == news.alarm && $0.ecu == news.ecu }
        if news.isRaised {
            raised.append(Raised(alarm: news.alarm, ecu: news.ecu, unit: unit, start: time))
        }
    }

    /// The newest alarm, its start, and the number of other alarms; nil without any alarm.
    ///
    /// The text leaves out the value, because the signal's row shows the current one.
    package var text: String? {
        guard let newest = raised.last else { return nil }
        var text = newest.alarm.text
        if case .number = newest.alarm.limit, !newest.unit.isEmpty { text += " " + newest.unit }
        text += " since " + localTime(newest.start).suffix(8)
        if let ecu = newest.ecu { text += " (\(ecu))" }
        if raised.count > 1 { text += ", and \(raised.count - 1) more" }
        return text
    }
}
