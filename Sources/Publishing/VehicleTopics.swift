import OBDCore

/// The topics of one vehicle: `obdscan/golf/7e8/rpm`.
///
/// The names contain only small letters, digits, - and _, because NATS allows no dots and no blanks.
package struct VehicleTopics: Hashable, Sendable {
    package let vehicle: String

    /// The topics of a vehicle with a name from ``PublishedName``.
    package init(vehicle: String) { self.vehicle = vehicle }

    /// The topic that shows whether the publishing program is running.
    package static func bridge(_ client: String) -> String { "obdscan/bridge/\(client)" }

    /// The beginning of all of the vehicle's own topics.
    package var prefix: String { "obdscan/\(vehicle)/" }
    /// Whether an ECU answers.
    package var availability: String { "obdscan/\(vehicle)/availability" }
    /// The topic of the vehicle's trouble codes.
    package var codes: String { "obdscan/\(vehicle)/codes" }
    /// The topic of the vehicle's position.
    package var position: String { "obdscan/\(vehicle)/position" }
    /// The topic of the vehicle's latest trip.
    package var trip: String { "obdscan/\(vehicle)/trip" }
    /// Which monitors have run.
    package var readiness: String { "obdscan/\(vehicle)/readiness" }
    /// Where the button's press arrives.
    package var command: String { "obdscan/\(vehicle)/command" }
    /// Everything that was read, in order.
    package var readings: String { "obdscan/\(vehicle)/readings" }

    /// All retained topics of a vehicle that has these components, except its discovery.
    package func retained(_ components: [String: String]) -> [String] {
        let signals = components.keys.sorted().compactMap { SignalKey(identifier: $0) }.map(signal)
        return [availability, codes, readiness, position, trip] + signals
    }

    /// The retained topics of components that the vehicle has no more.
    package func retained(ofRemoved components: some Sequence<String>) -> [String] {
        components.sorted().compactMap { id in
            switch id {
            case "position": position
            case "readiness": readiness
            default: SignalKey(identifier: id).map(signal)
            }
        }
    }

    /// The vehicle that a command is for; nil for another topic.
    package static func commanded(_ topic: String) -> String? {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "obdscan", parts[2] == "command" else { return nil }
        return String(parts[1])
    }

    package func signal(_ key: SignalKey) -> String {
        "obdscan/\(vehicle)/\(key.ecu)/\(key.signal)"
    }

    /// The topic of the discovery message for Home Assistant.
    package func discovery(_ prefix: String) -> String {
        "\(prefix)/device/obdscan_\(vehicle)/config"
    }
}

/// A signal of an ECU in topics.
package struct SignalKey: Hashable, Comparable, Sendable {
    /// The ECU: `7e8`, or `adapter` for readings without an ECU.
    package var ecu: String
    /// The signal: `rpm`.
    package var signal: String

    package init(_ ecu: ECUAddress?, signal: String) {
        self.ecu = ecu.flatMap { PublishedName.slug($0.description) } ?? "adapter"
        self.signal = PublishedName.slug(signal) ?? "signal"
    }

    /// The order: by ECU, then by name.
    package static func < (left: SignalKey, right: SignalKey) -> Bool {
        (left.ecu, left.signal) < (right.ecu, right.signal)
    }

    /// The signal that an identifier names; nil for `trip`, `codes` and others that name none.
    ///
    /// The name of an ECU has no `_`.
    package init?(identifier: String) {
        guard let mark = identifier.firstIndex(of: "_"),
            !DiscoveryPayload.otherComponents.contains(identifier)
        else { return nil }
        ecu = String(identifier[..<mark])
        signal = String(identifier[identifier.index(after: mark)...])
    }

    /// The ECU and the signal in one word, as identifiers need it.
    package var identifier: String { "\(ecu)_\(signal)" }
}
