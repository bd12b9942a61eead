import Diagnostics
import OBDCore
import Simulator
import SystemIO
import TripStore

/// The trip databases of many simulated vehicles, one drive each, made as fast as the disk stores them.
///
/// A simulated ECU answers each request, and the tables decode the answer, as in `obdscan log`; there is no
/// adapter and no waiting between the two.
package struct FleetDatabases {
    /// The options that all vehicles share.
    private let options: SimulatorOptions
    private let duration: Duration
    private let table: PIDTable
    private let monitors: MonitorTables

    /// Vehicles with `options` in common, each with a drive of `duration`.
    package init(
        options: SimulatorOptions, duration: Duration, table: PIDTable, monitors: MonitorTables
    ) {
        self.options = options
        self.duration = duration
        self.table = table
        self.monitors = monitors
    }

    /// Service 01: load, coolant, intake pressure, engine speed, speed, intake air, air flow, throttle, fuel
    /// level, control module voltage.
    private static let polled: [UInt8] = [
        0x04, 0x05, 0x0B, 0x0C, 0x0D, 0x0F, 0x10, 0x11, 0x2F, 0x42,
    ]
    /// Most vehicles of a fleet: a VIN holds six digits that count.
    package static let most = 100_000

    /// The file of a vehicle; the first one is number 1.
    package static func file(of number: Int) -> String {
        let digits = String(number)
        return "vehicle-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".db"
    }

    /// A VIN for each number, with the right check digit.
    package static func vin(of number: Int) -> VIN? {
        let digits = String(number)
        let serial = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        return "0123456789X".lazy.compactMap { VIN("5XXBD1GA\($0)LX\(serial)") }
            .first { $0.hasValidCheckDigit }
    }

    /// The options of one vehicle of a fleet that has `options` in common.
    package static func options(of number: Int, _ options: SimulatorOptions) -> SimulatorOptions {
        var options = options
        options.vin = Self.vin(of: number)
        // Each vehicle is somewhere else in its drive.
        options.seed &+= UInt64(number)
        options.start += .seconds(number * 37 % 600)
        return options
    }

    /// Writes the database of a vehicle; returns its counts.
    package func write(_ number: Int, to path: String, now: TimeAnchor) throws -> (
        vin: String, readings: Int
    ) {
        var vehicle = try SimulatedVehicle(Self.options(of: number, options))
        var decoder = ResponseDecoder(table: table, monitors: monitors)
        let store = try TripStore(path: path, access: .readWrite)
        let begin = now.monotonic + (.zero - duration - .seconds(number % 60))
        let start = TimeAnchor(monotonic: begin, utc: now.utc(at: begin))
        let vin = vehicle.vin.flatMap { VIN($0) }
        let trip = try store.startTrip(TripStart(anchor: start, vin: vin), table: table)
        ask([0x01, 0x01], at: .zero, &vehicle, &decoder, trip)
        ask([0x03], at: .zero, &vehicle, &decoder, trip)
        var elapsed = Duration.zero
        while elapsed < duration {
            for (index, pid) in Self.polled.enumerated() {
                let time = elapsed + .milliseconds(90 * index)
                ask([0x01, pid], at: time, &vehicle, &decoder, trip)
            }
            elapsed += .seconds(1)
        }
        try trip.end(.duration, at: start.monotonic + duration)
        let summary = try store.trip(trip.trip)
        return (vehicle.vin ?? "", summary.readings)
    }

    /// The answers of all ECUs to a request become part of the trip.
    private func ask(
        _ request: [UInt8], at elapsed: Duration, _ vehicle: inout SimulatedVehicle,
        _ decoder: inout ResponseDecoder, _ trip: TripWriter
    ) {
        let exchange = Exchange(request: request, vehicleProtocol: vehicle.vehicleProtocol)
        var items: [DiagnosticItem] = []
        for answer in vehicle.answers(to: request, for: .everybody, after: elapsed) {
            decoder.decode(
                ECUMessage(ecu: answer.ecu, payload: answer.payload), in: exchange, &items)
        }
        let time = trip.anchor.monotonic + elapsed
        while !items.isEmpty, !trip.offer(items, at: time) {
            // The queue is full: waiting readings go to the disk first. A disk that stores nothing ends the
            // trip with its error.
            guard (try? trip.flush()) != nil else { return }
        }
    }
}
