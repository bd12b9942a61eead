import Diagnostics
import Formats
import OBDCore
import Publishing
import TripStore

/// The events of a trip for a webhook, each as one line of JSON.
///
/// The same data gives the same events, whenever they are read.
struct WebhookEvents {
    private let store: TripStore
    private let identity: DeliveryStore.Identity
    private var battery = LowBattery()
    /// By signal.
    private var isVoltage: [Bool] = []

    init(_ store: TripStore, _ identity: DeliveryStore.Identity) {
        self.store = store
        self.identity = identity
    }

    /// Finds the voltage among the signals of the readings that follow; only the adapter measures it while the
    /// vehicle is parked.
    mutating func begin(_ table: PIDTable) {
        isVoltage = table.signals.map { $0.id == "ADAPTER_VOLTAGE" }
    }

    /// Appends an event if the reading is the one that shows a low battery.
    mutating func append(_ reading: borrowing Reading, time: UTC, to bytes: inout [UInt8]) -> Bool {
        guard isVoltage[Int(reading.signal.rawValue)], case .number(let volts) = reading.value,
            battery.take(volts, at: time.microseconds)
        else { return false }
        append("lowBattery", time, [("voltage", .number(volts, places: 2))], to: &bytes)
        return true
    }

    /// Appends the codes that appeared with these reports; a code that was there before is left out.
    func append(
        _ reports: [(time: UTC, report: CodeReport)], of trip: TripSummary, to bytes: inout [UInt8]
    ) throws(StoreError) -> Int {
        let history = try store.codeHistory(vehicle: trip.vin ?? trip.vehicleName)
        var count = 0
        for (time, report) in reports {
            let isNew = history.contains { entry in
                entry.vin == trip.vin && entry.ecu == report.ecu && entry.kind == report.kind
                    && Self.isSame(entry.code, report.code)
                    && entry.changes.contains { $0.time == time && $0.isPresent }
            }
            guard isNew else { continue }
            append(
                "code", time,
                [
                    ("ecu", .text(report.ecu?.description)),
                    ("status", .text(report.kind.rawValue)), ("code", .text(report.code.text)),
                ], to: &bytes)
            count += 1
        }
        return count
    }

    /// Whether two reports name one code; how often it occurred does not matter.
    private static func isSame(_ one: CodeReport.Code, _ other: CodeReport.Code) -> Bool {
        if case .dtc(let one) = one, case .dtc(let other) = other { return one == other }
        return one.text == other.text
    }

    /// Appends the end of a trip.
    func append(_ result: TripResult, to bytes: inout [UInt8]) {
        var row = result.row
        row.set("vehicle", .text(identity.vehicle))
        row.add("time", .time(result.trip.end))
        row.appendJSON(to: &bytes)
    }

    private func append(
        _ kind: String, _ time: UTC, _ values: [(String, FieldValue)], to bytes: inout [UInt8]
    ) {
        var row = Row(
            kind,
            [
                "vehicle": .text(identity.vehicle), "vin": .text(identity.vin),
                "time": .time(time),
            ])
        for (key, value) in values { row.add(key, value) }
        row.appendJSON(to: &bytes)
    }
}
