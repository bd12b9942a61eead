public import OBDCore

/// What happened beside decoded data; the raw value of the kind is what files and databases hold.
public struct TripEvent: Hashable, Sendable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// No ECU answered in time.
        case timeout
        /// An ECU refused.
        case negativeResponse
        /// The adapter said something in words.
        case adapterStatus
        /// Frames that do not fit together.
        case linkError
        /// A message that is not what its standard demands.
        case decodeError
        /// The link to the accessory broke.
        case linkLost
        /// The link is back.
        case reconnected
        /// Data of this stretch is missing.
        case gap
        /// Trouble codes were cleared by us.
        case codesCleared
    }

    /// What happened.
    public var kind: Kind
    /// With whom, where one is known.
    public var ecu: ECUAddress?
    /// The service asked.
    public var service: Service?
    /// NRC in hexadecimal, or the name of an adapter's status.
    public var code: String?
    /// How long it lasted.
    public var duration: Duration?
    /// For people.
    public var text: String

    /// Something that happened.
    public init(
        _ kind: Kind, text: String, ecu: ECUAddress? = nil, service: Service? = nil,
        code: String? = nil, duration: Duration? = nil
    ) {
        self.kind = kind
        self.text = text
        self.ecu = ecu
        self.service = service
        self.code = code
        self.duration = duration
    }
}

/// One thing that is in a trip.
public enum TripEntry: Hashable, Sendable {
    /// What messages became.
    case items([DiagnosticItem])
    /// What `AT RV` measured; unit: volts.
    case voltage(Double)
    /// Something that happened.
    case event(TripEvent)
    /// What its user writes about this moment.
    case note(String)
    /// The vehicle has said who it is.
    case vehicle(VIN)
    /// Where the vehicle is.
    case position(Position)
    /// An ECU answered for a list of its codes, and named this many; the codes themselves are items
    /// of the same instant.
    case codeList(ECUAddress?, CodeReport.Kind, codes: Int)
    /// What came at once: all of it is taken, or none.
    case together([TripEntry])

    /// How many items it has.
    public var items: Int {
        switch self {
        case .items(let items): items.count
        case .together(let entries): entries.reduce(0) { $0 + $1.items }
        case .voltage, .event, .note, .vehicle, .position, .codeList: 1
        }
    }
}
