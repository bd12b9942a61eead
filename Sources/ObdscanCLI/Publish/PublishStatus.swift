import Engines
import Formats
import Publishing
import Settings
import SystemIO
import TripStore

/// What each sink has received, those of the configuration and those of `--to`.
struct PublishStatus {
    /// A sink.
    struct Line {
        var sink: DeliveryStore.Sink
        /// The data that it has not received; nil for a broker that gets only the newest values.
        var backlog: DeliveryBacklog?
        /// Whether the configuration names it, or it is an address.
        var isKnown: Bool
    }

    /// The sinks by name.
    let lines: [Line]
    /// The file of cursors; nil if nothing was ever delivered.
    let deliveries: DeliveryStore?

    /// The state of the sinks of a database.
    ///
    /// - Throws: A ``Failure`` if there is no sink.
    init(_ database: DatabaseOptions) throws {
        let store = try database.open(.readOnly)
        let known = UserSettings.current.publish.filter { $0.value.to != nil }
        let isNew = !Files.exists(DeliveryStore.path(of: store.path))
        let deliveries =
            isNew && !known.isEmpty ? nil : try database.deliveries(.readOnly).0
        var sinks = try deliveries?.sinks() ?? []
        for (name, settings) in known where !sinks.contains(where: { $0.name == name }) {
            sinks.append(.init(name: name, target: settings.to?.text ?? ""))
        }
        lines = try sinks.sorted { $0.name < $1.name }.map { sink in
            let hasHistory =
                if let settings = known[sink.name] {
                    settings.getsHistory
                } else {
                    try !sink.target.hasPrefix("mqtt")
                        || deliveries?.hasTrips(of: sink.name) == true
                }
            return Line(
                sink: sink,
                backlog: hasHistory ? try store.backlog(of: sink.name, deliveries) : nil,
                isKnown: known[sink.name] != nil || sink.name == sink.target)
        }
        self.deliveries = deliveries
    }

    /// The table for people.
    var table: TextTable {
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

    /// What the user can do about it.
    func hints(refused isShown: Bool) -> [String] {
        var hints: [String] = []
        if !isShown, lines.contains(where: { $0.sink.refused > 0 }) {
            hints.append("\"obdscan publish status --refused\" shows what was refused, and why")
        }
        for line in lines where !line.isKnown {
            hints.append(
                "\"obdscan publish forget \(line.sink.name)\" removes \(line.sink.name) from this list"
            )
        }
        return hints
    }
}

extension PublishStatus.Line {
    /// The state in words: what was delivered, then what is wrong, the worst last.
    var state: String {
        var parts = [delivered]
        if sink.isActive { parts.append("publish is running") }
        if !isKnown { parts.append("the configuration no longer names it") }
        if sink.refused > 0 {
            parts.append(
                sink.refused == 1 ? "1 line was refused" : "\(sink.refused) lines were refused")
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
                backlog.readings == 1 ? "1 reading waits" : "\(backlog.readings) readings wait"
            return isNew
                ? "nothing was delivered yet, \(wait)"
                : "\(wait), the oldest from the trip of \(localTime(oldest))"
        }
        if isNew { return "there is nothing to deliver" }
        return sink.refused > 0 ? "everything was sent" : "everything was delivered"
    }
}
