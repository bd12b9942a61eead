import Diagnostics
import OBDCore
import SystemIO

/// The alarms that are not over, as one line tells them.
package struct RaisedAlarms: Sendable {
    private struct Raised {
        var alarm: Alarm
        var ecu: ECUAddress?
        /// Unit of the limit; empty = none.
        var unit: String
        var start: UTC
    }

    /// The newest last.
    private var raised: [Raised] = []

    /// None is raised.
    package init() {}

    /// Takes note of an alarm that began or ended; `unit` is that of its limit.
    package mutating func take(_ news: AlarmNews, unit: String, at time: UTC) {
        raised.removeAll { $0.alarm == news.alarm && $0.ecu == news.ecu }
        if news.isRaised {
            raised.append(Raised(alarm: news.alarm, ecu: news.ecu, unit: unit, start: time))
        }
    }

    /// What began last, since when, and how many more there are; nil = there is none.
    ///
    /// Without the value: what it is now is in its row.
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
