import Diagnostics
import OBDCore
import TripStore

extension DriveRecord {
    /// What the ECUs noted in a trip; where no codes were read in it, in the nearest scan of the same vehicle
    /// within a week.
    init(of readings: TripReadings, in store: TripStore) throws {
        self.init()
        let trip = readings.trip
        try readings.forEachOtherRecord { time, record in
            switch record {
            case .codeList: hasReadCodes = true
            case .item(.code(let report)):
                // A former fault of SAE J1939 is no complaint of today.
                if report.isActive != false { add(report.code.text, Status(report.kind)) }
            case .item(.monitorTest(let result)):
                add(result, t: time.microseconds(since: trip.start))
            default: break
            }
        }
        for signal in readings.signals
        where signal.dataID == DataID(.currentData, 0x01) && signal.frame == nil
            && readings.table[signal.signal].id == "MIL"
        {
            if let value = signal.maximum { isLampOn = (isLampOn ?? false) || value > 0 }
        }
        guard !hasReadCodes, let vehicle = trip.vin ?? trip.vehicleName,
            let scan = try Self.nearest(to: trip, of: vehicle, in: store)
        else { return }
        let condition = try VehicleCondition(of: vehicle, at: scan, in: store)
        hasReadCodes = true
        for code in condition.codes {
            for kind in code.kinds { add(code.code.text, Status(kind)) }
        }
        for result in condition.tests { add(result, t: 0) }
        if isLampOn == nil, !condition.lights.isEmpty {
            isLampOn = condition.lights.contains(where: \.isOn)
        }
    }

    private static let week: Int64 = 7 * 86_400_000_000

    /// When the codes of a vehicle were read nearest to the end of a trip.
    private static func nearest(
        to trip: TripSummary, of vehicle: String, in store: TripStore
    ) throws -> UTC? {
        let end = trip.start.later(by: Int64(trip.seconds * 1e6))
        let scans = [
            try store.lastScan(ofVehicle: vehicle, until: end),
            try store.firstScan(ofVehicle: vehicle, after: end),
        ]
        return scans.compactMap(\.self).filter { abs($0.microseconds(since: end)) <= week }
            .min { abs($0.microseconds(since: end)) < abs($1.microseconds(since: end)) }
    }

    private mutating func add(_ result: MonitorTestResult, t: Int64) {
        guard let monitor = result.mid, let value = result.value, result.passed != nil else {
            return
        }
        add(
            Result(
                monitor: monitor, test: result.tid, name: result.monitor, value: value,
                low: result.hasLowerLimit ? result.min : nil,
                high: result.hasUpperLimit ? result.max : nil, t: t))
    }
}

extension DriveRecord.Status {
    fileprivate init(_ kind: CodeReport.Kind) {
        switch kind {
        case .stored: self = .stored
        case .pending: self = .pending
        case .permanent: self = .permanent
        }
    }
}
