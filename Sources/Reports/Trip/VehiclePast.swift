import Diagnostics
import OBDCore
import SystemIO
import TripStore

extension DriveVerdict.Past {
    /// So many drives before a trip show what is usual.
    private static let mostDrives = 50
    private static let week: Int64 = 7 * 86_400_000_000

    /// What the earlier drives of the same vehicle and the freeze frames of its stored codes show.
    init(
        of readings: TripReadings, _ record: DriveRecord, in store: TripStore,
        _ knowledge: DriveKnowledge
    ) throws {
        self.init()
        let trip = readings.trip
        frames = Self.frames(of: readings, record, day: nil, knowledge)
        guard let vehicle = trip.vin ?? trip.vehicleName, trip.isClockSet != false else { return }
        usual = try Self.usual(for: vehicle, at: trip, in: store, knowledge)
        let missing = Set(record.stored.map(\.code)).subtracting(frames.map(\.code))
        if !missing.isEmpty {
            frames += try Self.frames(of: vehicle, near: trip, record, in: store, knowledge)
                .filter { missing.contains($0.code) }
        }
    }

    private static func usual(
        for vehicle: String, at trip: TripSummary, in store: TripStore, _ knowledge: DriveKnowledge
    ) throws -> [String: DriftHistory.Usual] {
        // What was usual before a repair or a clear is so no more.
        guard try DriftHistory.reset(at: trip, in: store) == nil else { return [:] }
        var filter = TripStore.TripFilter(withScans: true)
        filter.vehicle = vehicle
        filter.to = trip.start
        let earlier = try store.trips(filter)
        let drives = earlier.filter { $0.purpose != .scan && $0.isClockSet != false }
        let first = drives.suffix(mostDrives).first?.start ?? trip.start
        return try DriftHistory(earlier.filter { $0.start >= first }, in: store, knowledge)
            .usual(at: trip.start.microseconds)
    }

    /// The frames in the trips of a vehicle within a week, the nearest to the trip first; one of each code.
    private static func frames(
        of vehicle: String, near trip: TripSummary, _ record: DriveRecord, in store: TripStore,
        _ knowledge: DriveKnowledge
    ) throws -> [FrozenMoment] {
        var filter = TripStore.TripFilter(withScans: true)
        filter.vehicle = vehicle
        filter.from = trip.start.later(by: -week)
        filter.to = trip.end.later(by: week)
        let others = try store.trips(filter).filter { $0.id != trip.id }.sorted { one, two in
            abs(one.start.microseconds(since: trip.end))
                < abs(two.start.microseconds(since: trip.end))
        }
        var found: [FrozenMoment] = []
        for other in others {
            let day = String(localTime(other.start).prefix(10))
            for frame in frames(
                of: try store.readings(ofTrip: other.id), record, day: day, knowledge)
            where !found.contains(where: { $0.code == frame.code }) {
                found.append(frame)
            }
        }
        return found
    }

    /// The frames of stored codes in a trip, of the ECU that has most of the values.
    private static func frames(
        of readings: TripReadings, _ record: DriveRecord, day: String?, _ knowledge: DriveKnowledge
    ) -> [FrozenMoment] {
        let stored = Set(record.stored.map(\.code))
        var byCode: [String: [ECUAddress?: [DriveQuantity: (value: Double, preference: Int)]]] = [:]
        for signal in readings.signals where signal.frame != nil {
            guard let code = signal.dtc?.text, stored.contains(code),
                // A frame that was overwritten is two moments.
                let value = signal.minimum, value == signal.maximum, let id = signal.dataID,
                let (quantity, preference) = knowledge.quantity(
                    of: readings.table[signal.signal].id, in: DataID(.currentData, id.id))
            else { continue }
            let known = byCode[code]?[signal.ecu]?[quantity]
            if let known, known.preference <= preference { continue }
            byCode[code, default: [:]][signal.ecu, default: [:]][quantity] = (value, preference)
        }
        return byCode.sorted { $0.key < $1.key }.compactMap { code, ecus in
            let best = ecus.max { one, other in
                let (left, right) = (one.value.count, other.value.count)
                return left == right
                    ? (one.key?.value ?? 0) > (other.key?.value ?? 0) : left < right
            }
            let frame = best.map {
                FrozenMoment(code: code, values: $0.value.mapValues(\.value), day: day)
            }
            return frame?.isDescribed == true ? frame : nil
        }
    }
}
