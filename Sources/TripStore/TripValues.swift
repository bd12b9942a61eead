public import Diagnostics
public import OBDCore

/// What is known when a trip begins.
public struct TripStart: Sendable {
    /// What a trip is; the raw value is what the database holds.
    public enum Purpose: String, Hashable, Sendable {
        /// A drive: `log`.
        case log
        /// A short look: `dtc`, `info`, `monitors`.
        case scan
        /// Another program's data.
        case `import`
    }

    /// What the trip is.
    public var purpose: Purpose
    /// The two clocks; readings carry the monotonic one.
    public var anchor: TimeAnchor
    /// The vehicle, where it is known already.
    public var vin: VIN?
    /// How the accessory is opened: ``RememberedAccessory/address``.
    public var accessory: String?
    /// Words to find it by.
    public var tags: [String]
    /// What its owner calls it.
    public var name: String?

    /// A trip that begins at `anchor`.
    public init(
        purpose: Purpose = .log, anchor: TimeAnchor, vin: VIN? = nil, accessory: String? = nil,
        tags: [String] = [], name: String? = nil
    ) {
        self.purpose = purpose
        self.anchor = anchor
        self.vin = vin
        self.accessory = accessory
        self.tags = tags
        self.name = name
    }
}

/// Why a trip ended; the raw value is what the database holds.
public enum EndReason: String, Hashable, Sendable, CaseIterable {
    /// Its user stopped it.
    case stopped
    /// Its time was up.
    case duration
    /// The vehicle was switched off.
    case vehicleOff
    /// The link was lost and could not be had back.
    case linkLost
    /// Something else failed.
    case failed
    /// The process died; the last record is the end.
    case crashed
    /// It came from a file.
    case imported
}

/// A trip and its figures.
public struct TripSummary: Hashable, Sendable {
    /// Its number; never used again.
    public var id: Int64
    /// What it is.
    public var purpose: TripStart.Purpose
    /// The vehicle; nil where it did not say.
    public var vin: String?
    /// What the vehicle's owner calls it.
    public var vehicleName: String?
    /// Where the accessory was.
    public var accessory: String?
    /// The two clocks at its beginning.
    public var anchor: TimeAnchor
    /// Up to the last record; unit: seconds.
    public var seconds: Double
    /// Driven distance from the odometer, else from the speed; unit: km, nil without either.
    public var distance: Double?
    /// Number of readings.
    public var readings: Int
    /// Why it ended; nil while it is open.
    public var endReason: EndReason?
    /// Words to find it by.
    public var tags: [String]
    /// What its owner calls it.
    public var name: String? = nil
    /// Distance from the speed alone; unit: km, nil without a speed.
    public var driven: Double? = nil
    /// The odometer (PID A6) at both ends; unit: km, nil where the vehicle has none.
    public var odometer: ClosedRange<Double>? = nil
    /// Above 0 km/h; unit: seconds, nil without a speed.
    public var movingSeconds: Double? = nil
    /// At 0 km/h with the engine running; unit: seconds, nil without speed or engine speed.
    public var idleSeconds: Double? = nil
    /// How often speed fell, or rose, by 0.3 g or more; nil without a speed.
    public var hardBrakings: Int? = nil, hardAccelerations: Int? = nil

    /// While it moved; unit: km/h, nil where nothing is known or nothing moved.
    public var averageSpeed: Double? {
        guard let driven, let movingSeconds, movingSeconds > 0 else { return nil }
        return driven / movingSeconds * 3600
    }

    /// Its beginning.
    public var start: UTC { anchor.utc }
    /// Its last record.
    public var end: UTC {
        UTC(microseconds: start.microseconds &+ Int64((seconds * 1e6).rounded()))
    }
}

/// What happened beside decoded data; the raw value of the kind is what the database holds.
public struct TripEvent: Hashable, Sendable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Nobody answered in time.
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

/// One thing to store.
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
    case position(TripPosition)
    /// An ECU answered for a list of its codes, and named so many; the codes themselves are items
    /// of the same instant.
    case codeList(ECUAddress?, CodeReport.Kind, codes: Int)
    /// What came at once: all of it is taken, or none.
    case together([TripEntry])

    /// How much room it takes.
    var items: Int {
        switch self {
        case .items(let items): items.count
        case .together(let entries): entries.reduce(0) { $0 + $1.items }
        case .voltage, .event, .note, .vehicle, .position, .codeList: 1
        }
    }
}

/// Where the vehicle was.
public struct TripPosition: Hashable, Sendable {
    /// WGS 84; unit: degrees, −90 to 90.
    public var latitude: Double
    /// WGS 84; unit: degrees, −180 to 180.
    public var longitude: Double
    /// Above mean sea level; unit: m, nil without a fix in three dimensions.
    public var altitude: Double?
    /// Over ground; unit: km/h.
    public var speed: Double?
    /// From true north; unit: degrees, 0 to below 360.
    public var course: Double?
    /// Horizontal; unit: m.
    public var accuracy: Double?
    /// By the receiver's clock.
    public var fixTime: UTC?

    /// A place; nil outside the ranges above.
    public init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}
