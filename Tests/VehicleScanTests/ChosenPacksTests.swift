import Accessory
import Diagnostics
import Foundation
import LocalLinks
import OBDCore
import PIDTables
import Testing

@testable import VehicleScan

/// Packs that a vehicle chooses by its VIN and by its answers.
@Suite struct `A vehicle chooses its packs` {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Vehicles/kona-2019.vehicle")

    private let packs = PIDTables.automaticPacks()

    /// Runs `body` with a vehicle made of the file's text, changed by `change`.
    private func ask(
        _ change: (String) -> String = { $0 }, own: [TableFile] = [],
        _ body: (Vehicle) throws -> Void
    ) throws {
        let text = change(try String(contentsOf: Self.file, encoding: .utf8))
        let path = FileManager.default.temporaryDirectory.appending(
            path: "\(UUID().uuidString).vehicle")
        try text.write(to: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: path) }
        try ask("sim:\(path.path)?latency=0ms&wait=1ms&search=0ms", own: own, body)
    }

    private func ask(
        _ address: String, own: [TableFile] = [], _ body: (Vehicle) throws -> Void
    ) throws {
        let vehicle = try Vehicle.open(
            TransportRegistry.all.address(address),
            table: PIDTables.load(own, automatic: packs), monitors: PIDTables.monitorTables())
        defer { vehicle.close() }
        try body(vehicle)
    }

    private func withoutNumber(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("  vin") }.joined(separator: "\n")
    }

    @Test func `the VIN chooses packs, and only records that are answered are used`() throws {
        try ask { vehicle in
            let chosen = try ChosenPacks(packs, vehicle, isWanted: false)
            // The smaller Ioniq has the same instruments and tyres.
            #expect(chosen.names.contains("hyundai-kia-ev"))
            #expect(
                chosen.records.map(\.dataID.description).sorted() == [
                    "22:0101", "22:0105", "22:B002", "22:C00B",
                ])
        }
    }

    @Test func `without a VIN answers choose packs, if the user wants packs`() throws {
        try ask(withoutNumber) { vehicle in
            #expect(try ChosenPacks(packs, vehicle, isWanted: false).records.isEmpty)
            let chosen = try ChosenPacks(packs, vehicle, isWanted: true)
            #expect(chosen.names == ["hyundai-kia-ev"] && chosen.rivals.isEmpty)
            #expect(chosen.records.count == 4)
        }
    }

    private static let own = TableFile(
        path: "own.pids",
        contents: Array(
            """
            record 22:B002 12 : Own odometer
              header 7C6
              reply 7CE
              signal OWN_ODOMETER G..I unit km : Own odometer
            record 22:0BAD 1 : Unknown to the ECU
              header 7C6
              reply 7CE
              signal OWN_BAD A : Unknown to the ECU
            record 22:0BAD 1 : Of an ECU that is not there
              header 7A6
              reply 7AE
              signal OWN_ABSENT A : Of an ECU that is not there
            record 22:1234 1 : At another form of address
              header 18DA10F1
              reply 18DAF110
              signal OWN_29 A : At another form of address

            """.utf8))
    private static let ofOthers = TableFile(
        path: "others.pids",
        contents: Array(
            """
            vehicle 1N4AZ0*
            record 22:B003 1 : Of another make
              signal OWN_OTHER A : Of another make

            """.utf8))

    @Test func `records of the user's own tables are used if the vehicle answers them`() throws {
        try ask(own: [Self.own, Self.ofOthers]) { vehicle in
            let own = try OwnRecords(vehicle, except: [])
            #expect(own.answered.map(\.name) == ["Own odometer"])
            #expect(
                own.unanswered.map(\.name)
                    == ["Unknown to the ECU", "Of an ECU that is not there"])
            #expect(own.faults.count == 2 && own.heard == 0)
            // They replace those of packs, and are polled without being named.
            let setup = try PollSetup.make([], own.answered, vehicle, every: nil) { _ in }
            let odometer = setup.wants.filter { $0.dataID == DataID(.readData, 0xB002) }
            #expect(odometer.count == 1)
            let named = try OwnRecords(vehicle, except: own.answered)
            #expect(named.answered.isEmpty && named.unanswered.count == 2)
        }
    }

    @Test func `records that the vehicle announces are polled once`() throws {
        let speed = TableFile(
            path: "speed.pids",
            contents: Array(
                "record 01:0D 1 : Own speed\n  signal VSS A unit km/h : Own speed\n".utf8))
        try ask("sim:petrol?latency=0ms&wait=1ms&search=0ms", own: [speed]) { vehicle in
            let own = try OwnRecords(vehicle, except: [])
            #expect(own.answered.map(\.name) == ["Own speed"])
            let setup = try PollSetup.make([], own.answered, vehicle, every: nil) { _ in }
            #expect(setup.wants.count { $0.dataID == DataID(.currentData, 0x0D) } == 1)
        }
    }

    @Test func `several packs that fit equally are not used`() throws {
        let odometer = { (text: String) in
            let parts = self.withoutNumber(text).components(separatedBy: "\n\necu ")
            return (parts.prefix(2) + parts.filter { $0.hasPrefix("CLU") })
                .joined(separator: "\n\necu ")
        }
        try ask(odometer) { vehicle in
            let chosen = try ChosenPacks(packs, vehicle, isWanted: true)
            #expect(chosen.records.isEmpty && chosen.names.isEmpty)
            #expect(chosen.rivals.contains("hyundai-kia-ev") && chosen.rivals.count > 1)
        }
    }

    @Test(arguments: ["petrol", "truck", "onuds"])
    func `a vehicle without a suitable pack gets no pack`(name: String) throws {
        try ask("sim:\(name)?latency=0ms&wait=1ms&search=0ms") { vehicle in
            let chosen = try ChosenPacks(packs, vehicle, isWanted: true)
            #expect(chosen.records.isEmpty && chosen.rivals.isEmpty)
        }
    }

    /// The file of the Kona has 22:B002 with 00330B, which is 13067 km.
    @Test func `the odometer comes from a pack if the vehicle does not announce PID A6`() throws {
        try ask { vehicle in
            let services = try vehicle.services()
            let odometer = try vehicle.odometer(in: services)?.kilometres
            #expect(odometer == 13_067)
        }
        try ask(withoutNumber) { vehicle in
            let services = try vehicle.services()
            let odometer = try vehicle.odometer(in: services)?.kilometres
            #expect(odometer == nil)
        }
    }

    @Test func `a part of a name finds only signals of the chosen packs`() throws {
        let names = SignalNames(try PIDTables.load([], automatic: packs))
        func found(_ packs: Set<String>, _ text: String = "gearbox oil") -> Set<String> {
            Set(names.matches(text, packs: packs).map(\.id))
        }
        let all: Set = ["FORD_GEARBOX_TEMP", "MAZDA_GEARBOX_TEMP"]
        #expect(found(["mazda"]).intersection(all) == ["MAZDA_GEARBOX_TEMP"])
        #expect(found(["mazda"], "").intersection(all) == ["MAZDA_GEARBOX_TEMP"])
        #expect(found([]).isDisjoint(with: all))
        // The standard's own charge of the battery has the name "soc", but this vehicle may lack that signal.
        let first = names.matches("soc", packs: ["hyundai-kia-ev"]).first
        #expect(first?.id.hasPrefix("EV_SOC") == true)
        let both = names.matches("soc", packs: ["hyundai-kia-ev", "hyundai-kia-egmp"]).map(\.id)
        #expect(both.count { $0 == "EV_SOC" } == 1)
        #expect(names.matches("soc").first?.id == "BAT_PWR")
    }

    @Test func `if two signals have a name, the name means the signal that the vehicle has`() throws
    {
        try ask { vehicle in
            let table = vehicle.table
            let found = try SignalNames(table).find("ev-soc")
            #expect(found.candidates.count > 3)
            let chosen = try ChosenPacks(packs, vehicle, isWanted: true, only: [found])
            let settled = chosen.settle([found], table)
            #expect(settled.missing.isEmpty)
            #expect(settled.signals.first?.record?.dataID == DataID("22:0105"))
            #expect(
                settled.signals.first?.signal.map { table[$0].id } == "EV_SOC")
        }
        try ask("sim:electric?latency=0ms&wait=1ms&search=0ms") { vehicle in
            let table = vehicle.table
            let found = try SignalNames(table).find("ev-soc")
            let chosen = try ChosenPacks(packs, vehicle, isWanted: true, only: [found])
            // Without a pack the standard's own signal is meant; a tyre has none.
            let settled = chosen.settle([found], table)
            #expect(settled.signals.first?.record?.dataID == DataID("01:5B"))
            let tyre = try SignalNames(table).find("tyre-fl")
            #expect(chosen.settle([tyre], table).missing.count == 1)
        }
    }

    @Test func `a user's own table precedes packs that were chosen automatically`() throws {
        let own = TableFile(
            path: "own.pids",
            contents: Array(
                """
                record 22:1234 1 : Mine
                  header 7E4
                  reply 7EC
                  signal MINE A unit % : My charge
                    alias ev-soc
                """.utf8))
        let table = try PIDTables.load([own], automatic: packs)
        let found = try SignalNames(table).find("ev-soc")
        #expect(found.record?.dataID == DataID("22:1234") && found.candidates.isEmpty)
    }
}
