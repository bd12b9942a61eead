import Diagnostics
import OBDCore
import SystemIO
import TripStore

extension DriveRecord {
    /// What the ECUs noted in a trip; what was not read in it, from the records of the same vehicle within a week.
    init(of readings: TripReadings, in store: TripStore) throws {
        self.init()
        let trip = readings.trip
        try readings.forEachOtherRecord { time, record in
            switch record {
            case .codeList: hasReadCodes = true
            case .item(.code(let report)):
                add(report.code.text, Status(report.kind, of: report.code))
            case .item(.monitorTest(let result)):
                if let own = Result(result, t: time.microseconds(since: trip.start)) { add(own) }
            default: break
            }
        }
        for signal in readings.signals
        where signal.dataID == DataID(.currentData, 0x01) && signal.frame == nil
            && readings.table[signal.signal].id == "MIL"
        {
            if let value = signal.maximum { isLampOn = (isLampOn ?? false) || value > 0 }
        }
        guard let vehicle = trip.vin ?? trip.vehicleName else { return }
        let end = trip.start.later(by: Int64(trip.seconds * 1e6))
        if !hasReadCodes { try addCodes(of: vehicle, near: end, since: trip.start, in: store) }
        // Of each test the result that was read nearest to the trip, where the trip has none.
        let others = try store.monitorTrend(vehicle: vehicle)
            .filter { $0.trip != trip.id && abs($0.time.microseconds(since: end)) <= Self.week }
            .sorted {
                abs($0.time.microseconds(since: end)) < abs($1.time.microseconds(since: end))
            }
        for point in others {
            guard
                let result = Result(
                    point.result, t: 0, other: Moment(point.time, since: trip.start)),
                !has(result)
            else { continue }
            add(result)
        }
    }

    private static let week: Int64 = 7 * 86_400_000_000

    /// The codes of the scan nearest to the end of a trip, each as of the day on which it was read.
    private mutating func addCodes(
        of vehicle: String, near end: UTC, since start: UTC, in store: TripStore
    ) throws {
        let scans = [
            try store.lastScan(ofVehicle: vehicle, until: end),
            try store.firstScan(ofVehicle: vehicle, after: end),
        ]
        guard
            let scan = scans.compactMap(\.self)
                .filter({ abs($0.microseconds(since: end)) <= Self.week })
                .min(by: {
                    abs($0.microseconds(since: end)) < abs($1.microseconds(since: end))
                })
        else { return }
        hasReadCodes = true
        for entry in try store.codeHistory(vehicle: vehicle) where entry.isPresent(at: scan) {
            // A list that this scan did not read may be of any day.
            let seen = min(entry.lastSeen, scan)
            guard end.microseconds(since: seen) <= Self.week else { continue }
            add(
                entry.code.text, Status(entry.kind, of: entry.code),
                other: Moment(seen, since: start))
        }
    }
}

extension DriveRecord.Moment {
    fileprivate init(_ time: UTC, since start: UTC) {
        self.init(day: String(localTime(time).prefix(10)), isEarlier: time < start)
    }
}

extension DriveRecord.Result {
    /// Nil for a result without a monitor, or of a test that was not run.
    fileprivate init?(
        _ result: MonitorTestResult, t: Int64, other: DriveRecord.Moment? = nil
    ) {
        guard let monitor = result.mid, let value = result.value, result.passed != nil else {
            return nil
        }
        self.init(
            ecu: result.ecu?.description, monitor: monitor, test: result.tid,
            name: result.monitor, value: value, low: result.hasLowerLimit ? result.min : nil,
            high: result.hasUpperLimit ? result.max : nil, t: t, other: other)
    }
}

extension DriveRecord.Status {
    /// Takes a stored fault of SAE J1939 for a pending one.
    ///
    /// The database does not store whether such a fault is active, and a former fault must not count as a present one.
    fileprivate init(_ kind: CodeReport.Kind, of code: CodeReport.Code) {
        if case .j1939 = code, kind == .stored {
            self = .pending
            return
        }
        switch kind {
        case .stored: self = .stored
        case .pending: self = .pending
        case .permanent: self = .permanent
        }
    }
}
