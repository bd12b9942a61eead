import OBDCore
import TripStore

/// The codes that obdscan cleared in a vehicle the last time, according to the database.
package struct ClearedCodes: Sendable {
    /// When obdscan cleared the vehicle's codes, the latest last; without an ECU, the codes of all ECUs.
    package private(set) var clearings: [(ecu: ECUAddress?, time: UTC)] = []
    /// The codes that were present then.
    package private(set) var codes: [VehicleCondition.Code] = []

    /// How long ago is still news; unit: µs.
    private static let news: Int64 = 30 * 24 * 3_600 * 1_000_000

    package init() {}

    /// The cleared codes of `vehicle`, a VIN or a name, until `time`; none if they were cleared more than
    /// thirty days before.
    package init(of vehicle: String, until time: UTC, in store: TripStore) throws(StoreError) {
        clearings = try store.clearings(ofVehicle: vehicle, until: time)
        guard let last = clearings.last?.time,
            time.microseconds - last.microseconds < Self.news
        else { return }
        codes = try VehicleCondition(of: vehicle, at: last, in: store).codes
    }

    /// The codes that a condition no longer has; a code that is only permanent was present before, too.
    package func gone(from now: VehicleCondition) -> [VehicleFindings.Gone] {
        codes.filter { code in
            code.kinds != [.permanent]
                && !now.codes.contains { $0.ecu == code.ecu && $0.code.isSame(as: code.code) }
        }.map { ($0, nil) }
    }
}
