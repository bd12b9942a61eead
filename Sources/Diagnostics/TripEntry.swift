public import OBDCore

/// An event other than decoded data; the raw value of the kind is stored in files and databases.
public struct TripEvent: Hashable, Sendable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// No ECU answered in time.
        case timeout
        /// An ECU refused.
        case negativeResponse
        /// The adapter reported a status.
        case adapterStatus
        /// Frames that do not form a message.
        case linkError
        /// A message that does not conform to its standard.
        case decodeError
        /// The link to the adapter was lost.
        case linkLost
        /// The link was restored.
        case reconnected
        /// The data of this period are missing.
        case gap
        /// This program cleared trouble codes.
        case codesCleared
        /// The wall clock was set.
        case clockSet
    }

    /// The kind of event.
    public var kind: Kind
    /// The ECU, if known.
    public var ecu: ECUAddress?
    /// The requested service.
    public var service: Service?
    /// The NRC in hexadecimal, or the name of an adapter status.
    public var code: String?
    /// The duration.
    public var duration: Duration?
    /// The text for the user.
    public var text: String

    /// Creates an event.
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

/// An entry of a trip.
public enum TripEntry: Hashable, Sendable {
    /// The decoded messages.
    case items([DiagnosticItem])
    /// The voltage that `AT RV` measured; unit: V.
    case voltage(Double)
    /// Something that happened.
    case event(TripEvent)
    /// The user's note about this moment.
    case note(String)
    /// The vehicle reported its VIN.
    case vehicle(VIN)
    /// The position of the vehicle.
    case position(Position)
    /// An ECU reported a list with this many codes; the codes themselves are items with the same time.
    case codeList(ECUAddress?, CodeReport.Kind, codes: Int)
    /// Entries that belong together: either all are stored or none.
    case together([TripEntry])
    /// An event or a position of a time in which another vehicle may be connected; the trip gets it with
    /// ``settleHeld(keeps:)``, or when it ends.
    indirect case held(TripEntry)
    /// Whether the vehicle is the same as before: the trip gets what was held, or never gets it.
    case settleHeld(keeps: Bool)

    /// The number of items in the entry.
    public var items: Int {
        switch self {
        case .held(let entry): entry.items
        case .settleHeld: 1
        case .items(let items): items.count
        case .together(let entries): entries.reduce(0) { $0 + $1.items }
        case .voltage, .event, .note, .vehicle, .position, .codeList: 1
        }
    }
}
