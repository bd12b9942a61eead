import Formats
import OBDCore
import Publishing
import Settings
import SystemIO
import TripStore

/// The delivered trips of each sink, in the configuration or in `--to`.
package struct PublishStatus {
    /// A sink.
    package struct Line {
        /// The sink's name and its delivered trips.
        package var sink: DeliveryStore.Sink
        /// The data that the sink has not received; nil for a broker that gets only the newest values.
        package var backlog: DeliveryBacklog?
        /// Whether the sink gets readings; Traccar gets positions, a webhook events.
        package var getsReadings: Bool
        /// Whether the sink is in the configuration or is an address.
        package var isKnown: Bool
    }

    package let lines: [Line]
    /// The file of cursors; nil if nothing was ever delivered.
    package let deliveries: DeliveryStore?

    /// The state of the sinks of a database.
    ///
    /// - Parameters:
    ///   - deliveries: the file of cursors; nil if nothing was ever delivered.
    ///   - known: the sinks that the configuration names.
    package init(
        _ store: TripStore, _ deliveries: DeliveryStore?, known: [String: PublishSettings]
    ) throws {
        var sinks = try deliveries?.sinks() ?? []
        for (name, settings) in known where !sinks.contains(where: { $0.name == name }) {
            sinks.append(.init(name: name, target: settings.to?.text ?? ""))
        }
        lines = try sinks.sorted { $0.name < $1.name }.map { sink in
            var settings = known[sink.name] ?? PublishSettings()
            if known[sink.name] == nil {
                settings.to = try? SinkAddress(sink.target)
                settings.history = try deliveries?.hasTrips(of: sink.name) == true ? .influx : .off
            }
            return Line(
                sink: sink,
                backlog: settings.getsHistory
                    ? try store.backlog(of: sink.name, deliveries) : nil,
                getsReadings: settings.getsReadings,
                isKnown: known[sink.name] != nil || sink.name == sink.target)
        }
        self.deliveries = deliveries
    }

    package var table: TextTable {
        var table = TextTable(
            [("SINK", .left), ("LAST DELIVERY", .left), ("RESULT", .left)], flexible: [0, 2])
        for line in lines {
            table.add([
                .init(line.sink.name, .bold),
                .init(line.sink.acknowledged.map { localTime($0) } ?? "never"),
                .init(line.state),
            ])
        }
        return table
    }
}

extension PublishStatus.Line {
    /// The state in words: delivered trips first, then faults, the worst last.
    var state: String {
        var parts = [delivered]
        if sink.isActive { parts.append("publish is running") }
        if !isKnown { parts.append("the configuration no longer names it") }
        if sink.refused > 0 {
            let item = (try? SinkAddress(sink.target))?.kind.item ?? (one: "line", several: "lines")
            parts.append(
                counted(sink.refused, "\(item.one) was", "\(item.several) were") + " refused")
        }
        if let fault = sink.fault {
            parts.append(
                "error" + (sink.faultTime.map { " at \(localTime($0))" } ?? "") + ": \(fault)")
        }
        return parts.joined(separator: "; ")
    }

    private var delivered: String {
        let isNew = sink.acknowledged == nil
        guard let backlog else {
            return isNew ? "nothing was delivered yet" : "gets the newest values, no history"
        }
        if let oldest = backlog.oldest {
            let wait =
                getsReadings
                ? counted(backlog.readings, "reading waits", "readings wait")
                : counted(backlog.trips, "trip waits", "trips wait")
            return isNew
                ? "nothing was delivered yet, \(wait)"
                : "\(wait), the oldest \(getsReadings ? "from the trip of" : "began") \(localTime(oldest))"
        }
        if isNew { return "there is nothing to deliver" }
        return sink.refused > 0 ? "everything was sent" : "everything was delivered"
    }
}
