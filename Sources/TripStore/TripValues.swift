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
    /// The link was lost and could not be restored.
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
