import Diagnostics
import OBDCore

/// Leaves out the positions that the vehicle itself reports, by the rules for those of a receiver.
package struct VehiclePositions: Sendable {
    private struct Source: Hashable, Sendable {
        var ecu: ECUAddress?
        var signal: SignalIndex
    }

    private struct Message: Hashable, Sendable {
        var ecu: ECUAddress?
        var dataID: DataID?
    }

    private struct Value: Sendable {
        var isLatitude: Bool
        var degrees: Double
        var time: Instant
    }

    /// Numbers that lie further apart do not make a position: at 130 km/h a vehicle moves 72 m meanwhile.
    private static let longestPause = Duration.seconds(2)

    private let privacy: PositionPrivacy
    private let halves: [SignalIndex: PositionPart]
    private var values: [Source: Value] = [:]

    /// Nil if nothing is private, or if no signal of the table is a position.
    package init?(_ privacy: PositionPrivacy, _ table: PIDTable) {
        guard privacy != PositionPrivacy() else { return nil }
        self.privacy = privacy
        var halves: [SignalIndex: PositionPart] = [:]
        for (index, signal) in table.signals.enumerated() {
            halves[SignalIndex(rawValue: Int32(index))] = signal.positionPart
        }
        guard !halves.isEmpty else { return nil }
        self.halves = halves
    }

    /// The items without those of messages with a private position: their bytes contain it, too.
    ///
    /// - Parameter minute: The minute of the day by the clock on the wall; nil if it is not known.
    package mutating func allowed(
        _ items: [DiagnosticItem], at now: Instant, minute: Int?
    ) -> [DiagnosticItem] {
        let found = items.compactMap { item -> (Reading, PositionPart)? in
            guard case .reading(let reading) = item, let half = halves[reading.signal] else {
                return nil
            }
            return (reading, half)
        }
        guard !found.isEmpty else { return items }
        values = values.filter { now - $0.value.time <= Self.longestPause }
        for (reading, half) in found {
            let source = Source(ecu: reading.ecu, signal: reading.signal)
            values[source] = nil
            guard case .number(let degrees) = reading.value, half.isInDegrees else { continue }
            values[source] = Value(isLatitude: half.isLatitude, degrees: degrees, time: now)
        }
        var hidden: Set<Message> = []
        for (reading, _) in found where hides(reading, minute: minute) {
            hidden.insert(Message(ecu: reading.ecu, dataID: reading.dataID))
        }
        return items.filter { item in
            guard case .reading(let reading) = item else { return true }
            return !hidden.contains(Message(ecu: reading.ecu, dataID: reading.dataID))
        }
    }

    /// A number whose other half is not known may be in a zone.
    private func hides(_ reading: Reading, minute: Int?) -> Bool {
        if privacy.isPrivate(minute: minute) { return true }
        if privacy.zones.isEmpty { return false }
        guard let value = values[Source(ecu: reading.ecu, signal: reading.signal)] else {
            return true
        }
        let others = values.values.filter { $0.isLatitude != value.isLatitude }
        return others.isEmpty
            || others.contains { other in
                let (north, east) = value.isLatitude ? (value, other) : (other, value)
                let position = Position(latitude: north.degrees, longitude: east.degrees)
                return position.map { privacy.hides($0, minute: minute) } ?? true
            }
    }
}
