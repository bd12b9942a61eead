public import OBDCore

/// The topics of one vehicle: `obdscan/golf/7e8/rpm`.
///
/// They contain only small letters, digits, - and _, because NATS allows no dots and no blanks.
public struct VehicleTopics: Hashable, Sendable {
    /// The vehicle's name.
    public let vehicle: String

    /// The topics of a vehicle with a name from ``PublishedName``.
    public init(vehicle: String) { self.vehicle = vehicle }

    /// The topic that shows whether the publishing program is running.
    public static func bridge(_ client: String) -> String { "obdscan/bridge/\(client)" }

    /// The topic that shows whether an ECU answers.
    public var availability: String { "obdscan/\(vehicle)/availability" }
    /// The topic of its trouble codes.
    public var codes: String { "obdscan/\(vehicle)/codes" }
    /// The topic of its position.
    public var position: String { "obdscan/\(vehicle)/position" }
    /// The topic of its latest trip.
    public var trip: String { "obdscan/\(vehicle)/trip" }
    /// The topic of all readings, in order.
    public var readings: String { "obdscan/\(vehicle)/readings" }

    /// The topic of a signal of an ECU.
    public func signal(_ key: SignalKey) -> String { "obdscan/\(vehicle)/\(key.ecu)/\(key.signal)" }

    /// The topic of the discovery message for Home Assistant.
    public func discovery(_ prefix: String) -> String {
        "\(prefix)/device/obdscan_\(vehicle)/config"
    }
}

/// A signal of an ECU in topics.
public struct SignalKey: Hashable, Comparable, Sendable {
    /// The ECU: `7e8`, or `adapter` for readings that do not come from an ECU.
    public var ecu: String
    /// The signal: `rpm`.
    public var signal: String

    /// The key of a signal.
    public init(_ ecu: ECUAddress?, signal: String) {
        self.ecu = ecu.flatMap { PublishedName.slug($0.description) } ?? "adapter"
        self.signal = PublishedName.slug(signal) ?? "signal"
    }

    /// By ECU, then by name.
    public static func < (left: SignalKey, right: SignalKey) -> Bool {
        (left.ecu, left.signal) < (right.ecu, right.signal)
    }

    /// ECU and signal in one word for identifiers.
    public var identifier: String { "\(ecu)_\(signal)" }
}
