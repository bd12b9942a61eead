import Diagnostics
import Glibc
import OBDCore
import PIDTables
import Reports
import Simulator
import SystemIO
import Testing
import TripStore

@Suite struct `Databases of a simulated fleet` {
    @Test func `each database has one trip, of a vehicle with its own VIN`() throws {
        var template = Array("/tmp/obdscan-fleet-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer {
            for name in Files.names(in: folder) { unlink(folder + "/" + name) }
            rmdir(folder)
        }
        let fleet = FleetDatabases(
            options: try SimulatorOptions("petrol"), duration: .seconds(3),
            table: try PIDTables.standard(), monitors: try PIDTables.monitorTables())
        let now = TimeAnchor(monotonic: SystemClock.now(), utc: SystemClock.utc)
        for number in [1, 2] {
            let path = folder + "/" + FleetDatabases.file(of: number)
            let made = try fleet.write(number, to: path, now: now)
            #expect(made.vin == FleetDatabases.vin(of: number)?.text)
            let trip = try TripStore(path: path, access: .readOnly).trip(1)
            #expect(trip.vin == made.vin && trip.readings == made.readings)
            // Ten requests a second, each with an answer.
            #expect(made.readings >= 30)
            #expect(trip.endReason == .duration && trip.end < now.utc)
        }
    }

    @Test(arguments: [1, 42, 100_000])
    func `names and VINs contain the vehicle's number`(number: Int) throws {
        let vin = try #require(FleetDatabases.vin(of: number))
        #expect(vin.hasValidCheckDigit && vin.text.hasSuffix(String(number)))
        #expect(FleetDatabases.file(of: number).count == "vehicle-000001.db".count)
    }
}
