import Formats
import OBDCore
import Reports
import TripStore

/// The results of a trip that has ended: its totals and its fuel.
struct TripResult {
    let trip: TripSummary
    /// The fuel; nil while the trip is open, and without data about fuel.
    let fuel: FuelUse?

    /// The result of a trip; reads its readings if it has ended.
    init(_ trip: TripSummary, _ store: TripStore, _ profile: FuelProfile) throws(StoreError) {
        self.trip = trip
        guard trip.endReason != nil, trip.purpose != .scan else {
            fuel = nil
            return
        }
        do {
            fuel = try TripFuel.use(of: store.readings(ofTrip: trip.id), profile)
        } catch let error as StoreError {
            throw error
        } catch {
            // A fault of the readings does not hold back the trip.
            fuel = nil
        }
    }

    /// The trip as `trips show --json` prints it, with its fuel.
    var row: Row {
        var row = trip.row
        let isKnown = fuel?.amount != nil
        row.add("fuel", .number(fuel?.amount, places: 3))
        row.add("fuelUnit", .text(isKnown ? fuel?.unit : nil))
        row.add("per100Km", .number(fuel?.per100km, places: 3))
        return row
    }

    /// The totals as lines of `obd_trip`, at the end of the trip; those that are not known have none.
    func lines(tags: [(name: String, value: String)]) -> [[UInt8]] {
        let unit = fuel?.unit ?? ""
        let totals: [(name: String, unit: String, value: Double?)] = [
            ("distance", "km", trip.distance), ("duration", "s", trip.seconds),
            ("moving", "s", trip.movingSeconds), ("idle", "s", trip.idleSeconds),
            ("fuel", unit, fuel?.amount), ("consumption", unit + "/100km", fuel?.per100km),
        ]
        return totals.compactMap { total in
            guard let value = total.value, value.isFinite else { return nil }
            return LineProtocol.line(
                "obd_trip", tags: tags + [("quantity", total.name), ("unit", total.unit)],
                fields: [("value", value)], time: trip.end)
        }
    }
}
