import Accessory
import Glibc
import LocalLinks
import OBDCore
import PIDTables
import SystemIO
import TripRecorder
import TripStore
import VehicleScan

/// Records five seconds of the vehicle at `sim:`, or at the device in the command line, as a trip
/// in `trip.db`.
do {
    let address = CommandLine.arguments.dropFirst().first ?? "sim:"
    let sink = try TripSink()
    let vehicle = try Vehicle.open(
        TransportRegistry.all.address(address), table: PIDTables.standard(),
        monitors: PIDTables.monitorTables(), sinks: [sink])
    defer { vehicle.close() }
    let setup = try PollSetup.make([], [], vehicle, every: nil) { _ in }
    let plan = TripRecording.Plan(store: try TripStore(path: "trip.db"))
    let (end, trip) = try TripRecording.run(plan, on: vehicle, from: sink, tell: { print($0) }) {
        recording in
        var recording = recording
        vehicle.scan.poll(setup.plan)
        var loop = PollLoop(
            vehicle, queue: nil, until: SystemClock.now() + .seconds(5),
            identity: VINQuery(vehicle, by: setup.profiles))
        return try loop.run(
            vehicle: { recording.take($0) }, event: { recording.take($1, at: $0) },
            batch: { _ in })
    }
    let stored = try plan.store.trip(trip)
    print("trip \(trip):", stored.readings, "readings of", stored.vin ?? "a vehicle", "\(end)")
} catch {
    let line = "trip-log: \(error)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
}
