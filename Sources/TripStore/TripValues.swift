public import OBDCore

/// The data that is known when a trip begins.
public struct TripStart: Sendable {
    /// The purpose of a trip; the raw value is stored in the database.
    public enum Purpose: String, Hashable, Sendable {
        /// A drive: `log`.
        case log
        /// A quick scan: `dtc`, `info`, `monitors`.
        case scan
        /// Another program's data.
        case `import`
    }

    /// The purpose of the trip.
    public var purpose: Purpose
    /// The two clocks; readings have times of the monotonic one.
    public var anchor: TimeAnchor
    /// The VIN, if it is known already.
    public var vin: VIN?
    /// The address of the adapter: ``RememberedAccessory/address``.
    public var accessory: String?
    /// Tags for searching.
    public var tags: [String]
    /// The user's name for the trip.
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

/// Why a trip ended; the raw value is stored in the database.
public enum EndReason: String, Hashable, Sendable, CaseIterable {
    /// The user stopped it.
    case stopped
    /// The requested duration was over.
    case duration
    /// The vehicle was switched off.
    case vehicleOff
    /// The link was lost and could not be restored.
    case linkLost
    /// Another error.
    case failed
    /// The process died; the trip ends at its last record.
    case crashed
    /// The trip was imported from a file.
    case imported
}

/// A trip with its totals.
public struct TripSummary: Hashable, Sendable {
    /// Its number; never reused.
    public var id: Int64
    /// The purpose of the trip.
    public var purpose: TripStart.Purpose
    /// The vehicle; nil if its VIN is unknown.
    public var vin: String?
    /// The user's name for the vehicle.
    public var vehicleName: String?
    /// The adapter's address.
    public var accessory: String?
    /// The two clocks at the start.
    public var anchor: TimeAnchor
    /// Duration up to the last record; unit: seconds.
    public var seconds: Double
    /// Driven distance from the odometer, else from the speed; unit: km, nil without either.
    public var distance: Double?
    /// Number of readings.
    public var readings: Int
    /// Why it ended; nil while it is open.
    public var endReason: EndReason?
    /// Whether its process died, and no program has closed it yet with the rows that may wait in memory.
    public var isAbandoned = false
    /// Whether no more records come.
    public var isComplete: Bool { endReason != nil && !isAbandoned }
    /// Tags for searching.
    public var tags: [String]
    /// The user's name for the trip.
    public var name: String? = nil
    /// Whether the wall clock was set when it was recorded, or is put right since; nil if that is unknown.
    public var isClockSet: Bool? = nil
    /// Distance from the speed alone; unit: km, nil without a speed.
    public var driven: Double? = nil
    /// The odometer (PID A6) at start and end; unit: km, nil if the vehicle does not report it.
    public var odometer: ClosedRange<Double>? = nil
    /// Time above 0 km/h; unit: seconds, nil without a speed.
    public var movingSeconds: Double? = nil
    /// Time at 0 km/h with the engine running; unit: seconds, nil without speed or engine speed.
    public var idleSeconds: Double? = nil
    /// The number of changes of speed by 0.3 g or more; nil without a speed.
    public var hardBrakings: Int? = nil, hardAccelerations: Int? = nil

    /// Average speed while moving; unit: km/h, nil if unknown or if the vehicle did not move.
    public var averageSpeed: Double? {
        guard let driven, let movingSeconds, movingSeconds > 0 else { return nil }
        return driven / movingSeconds * 3600
    }

    /// The start of the trip.
    public var start: UTC { anchor.utc }
    /// The time of the last record.
    public var end: UTC {
        start.later(bySeconds: seconds)
    }
}
