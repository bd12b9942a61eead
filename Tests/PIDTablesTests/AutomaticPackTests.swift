import Diagnostics
import OBDCore
import PIDTables
import Testing

/// Packs about which the vehicle decides, and the traps of published lists.
@Suite struct `Packs that a vehicle chooses` {
    private let table: PIDTable

    init() throws { table = try PIDTables.load([], automatic: PIDTables.automaticPacks()) }

    private func chosen(_ vin: String) throws -> [String] {
        let vin = try #require(VIN(vin))
        return PIDTables.automaticPacks().filter { $0.vehicles.contains { $0.matches(vin) } }
            .map(\.name).sorted()
    }

    @Test
    func `every record of a pack is in the table, and no two packs contradict each other`() throws {
        // The inlet of the newer battery is coded in another way: no record of both may read it.
        let left = ["EV_TEMP_INLET"]
        for pack in PIDTables.automaticPacks() {
            for record in try PIDTables.records(of: pack) {
                let found = try #require(table.record(record.dataID, from: record.responder))
                let place: Comment = "\(pack.name) \(record.dataID)"
                #expect(found.packs.contains(pack.name), place)
                #expect(found.target == record.target, place)
                let names = found.signals.map { table[SignalIndex(rawValue: $0)].id }
                let lost = record.signals.map(\.id).filter { !names.contains($0) }
                #expect(lost.isEmpty || lost == left, place)
            }
        }
    }

    @Test func `a user's own record replaces a pack's record`() throws {
        let own = TableFile(
            path: "own.pids",
            contents: Array(
                """
                record 22:8334 1 : Mine
                  header 7E4
                  reply 7EC
                  signal MINE A : Mine
                """.utf8))
        let table = try PIDTables.load([own], automatic: PIDTables.automaticPacks())
        let found = try #require(
            table.record(DataID(.readData, 0x8334), from: ECUAddress(0x7EC, .can11)))
        #expect(found.name == "Mine" && found.packs.isEmpty)
    }

    /// The ECU that answers follows from the one that is asked.
    @Test(arguments: [("  header 7E4\n", true), ("", true), ("  header 7E0\n", false)])
    func `a user's own record without a reply address replaces a pack's record, too`(
        header: String, replaces: Bool
    ) throws {
        let text = "record 22:8334 1 : Mine\n\(header)  signal MINE A : Mine\n"
        let own = TableFile(path: "own.pids", contents: Array(text.utf8))
        let table = try PIDTables.load([own], automatic: PIDTables.automaticPacks())
        let found = try #require(
            table.record(DataID(.readData, 0x8334), from: ECUAddress(0x7EC, .can11)))
        #expect((found.name == "Mine") == replaces)
        let names = table.records.flatMap(\.signals).map { table[SignalIndex(rawValue: $0)].id }
        #expect(names.contains("MINE"))
    }

    @Test(
        arguments: [
            ("KMHK581HFKU012345", ["hyundai-ioniq-28", "hyundai-kia", "hyundai-kia-ev"]),
            ("KNDC3DLC9P5012345", ["hyundai-kia", "hyundai-kia-egmp"]),
            ("1FTFW1E50MFA12345", ["ford"]), ("3FMTK3SU5MMA12345", ["ford", "ford-ev"]),
            ("LSJW74U90KZ012345", ["mg-ev", "mg-ev-2019"]), ("WBY1Z4C55EV123456", ["bmw-i3"]),
            ("WVWZZZAUZJW123456", ["vw", "vw-e-golf", "vw-mqb"]),
            ("1N4AZ0CP0DC400001", ["nissan-leaf"]),
            ("1G1FY6S07L4123456", ["chevrolet-bolt", "gm"]), ("1G1FE1R70J0123456", ["gm"]),
            ("4S4BSAAC0H3123456", ["subaru"]), ("JM3KFBCM0J0123456", ["mazda"]),
            ("1C4RJFAG0JC123456", ["jeep-ram"]), ("VSSZZZ5FZJR012345", ["vw", "vw-mqb"]),
            ("TMBJJ9NE9H0126251", ["vw"]), ("2T3W1RFV0MC123456", ["toyota", "toyota-uds"]),
            ("5XXBD1GA8LX000042", []), ("JT1BD4EA7PX000256", []),
        ] as [(String, [String])])
    func `the VIN chooses the packs`(vin: String, packs: [String]) throws {
        #expect(try chosen(vin) == packs)
    }

    private func value(
        _ id: UInt32, _ data: [UInt8], from ecu: UInt32, _ name: String
    ) throws -> Reading.Value {
        let record = try #require(
            table.record(DataID(.readData, id), from: ECUAddress(ecu, .can11)))
        let signal = try #require(
            record.signals.map { table[SignalIndex(rawValue: $0)] }.first { $0.id == name })
        return signal.value(in: data)
    }

    @Test func `a cold Ford gearbox is below zero, not at 4,095 degrees`() throws {
        #expect(
            try value(0x1E1C, [0xFF, 0xF0], from: 0x7E8, "FORD_GEARBOX_TEMP") == .number(-1))
    }

    @Test
    func `a current of zero in an MG is raw value 40000, beyond any signed number`()
        throws
    {
        #expect(try value(0xB043, [0x9C, 0x40], from: 0x7ED, "MG_CURRENT") == .number(0))
    }

    @Test func `an MG's rear right tyre comes before its rear left one`() throws {
        let data: [UInt8] = [60, 61, 62, 63]
        #expect(try value(0xB001, data, from: 0x72C, "MG_TYRE_RR") == .number(248))
        #expect(try value(0xB001, data, from: 0x72C, "MG_TYRE_RL") == .number(252))
    }

    @Test func `the same identifier at another header is another quantity`() throws {
        // 22 B001 is tyres at 724; at the battery it is something else, and no record reads it.
        let id = DataID(.readData, 0xB001)
        #expect(table.record(id, from: ECUAddress(0x72C, .can11)) != nil)
        #expect(table.record(id, from: ECUAddress(0x7ED, .can11)) == nil)
    }

    @Test func `an unknown odometer value is not a value`() throws {
        let value = try value(0x295A, [0x0F, 0xFF, 0xFF], from: 0x7E8, "VW_ODOMETER")
        guard case .missing(.notAvailable, _) = value else {
            Issue.record("\(value)")
            return
        }
    }

    @Test func `a cold Mazda gearbox is below zero and is asked at its own address`() throws {
        #expect(
            try value(0x1E1C, [0xFF, 0xAB], from: 0x7E9, "MAZDA_GEARBOX_TEMP")
                == .number(-5.3125))
    }

    /// The sources contradict each other about the places, by model and among themselves.
    @Test func `tyres of a Subaru or a newer Toyota have no position`() throws {
        for pack in PIDTables.packs() where ["subaru", "toyota-uds"].contains(pack.name) {
            let aliases = try PIDTables.records(of: pack).flatMap(\.signals).flatMap(\.aliases)
            #expect(!aliases.contains { $0.hasPrefix("tyre-") }, "\(pack.name)")
        }
    }

    @Test func `a Toyota's tyre that has not reported has no value`() throws {
        let data: [UInt8] = [0xA3, 0xA1, 0xA1, 0x00, 0xFF]
        let record = try #require(
            table.records.first { $0.dataID == DataID(Service(0x21), 0x30) })
        let values = record.signals.map { table[SignalIndex(rawValue: $0)].value(in: data) }
        let known = values.filter { if case .number = $0 { true } else { false } }
        #expect(values.count == 5 && known.count == 3)
    }

    /// On PQ35 the same bytes count tens of kilometres: its cars must not choose the pack.
    @Test func `the odometer of newer Volkswagens is not used for a Tiguan`() throws {
        #expect(try !chosen("WVGZZZ5NZJW123456").contains("vw-mqb"))
        #expect(
            try value(0x2203, [0x01, 0xFF, 0x83], from: 0x77E, "VW_CLUSTER_ODOMETER")
                == .number(130_947))
    }

    @Test func `the pack of Hyundai's newer battery has no inlet temperature and no tyres`() throws
    {
        let egmp = try #require(PIDTables.packs().first { $0.name == "hyundai-kia-egmp" })
        let names = try PIDTables.records(of: egmp).flatMap(\.signals).map(\.id)
        #expect(!names.contains("EV_TEMP_INLET") && !names.contains { $0.hasPrefix("TYRE_") })
    }
}

@Suite struct `The quantity of a signal` {
    private let roles = PIDTables.signalRoles()

    private func signal(_ id: String, _ name: String, _ unit: String) -> Signal {
        Signal(id: id, name: name, bitOffset: 0, bitLength: 8, kind: .number, unit: unit)
    }

    @Test(
        arguments: [
            ("EV_SOC", "", "%", .stateOfCharge), ("BAT_PWR", "", "%", .stateOfCharge),
            ("ODO", "", "km", .odometer), ("FORD_GEARBOX_TEMP", "", "°C", .gearboxTemperature),
            ("MG_TYRE_FL", "", "kPa", .tyreFrontLeft),
            ("SOC_X", "State of charge", "%", .stateOfCharge),
            ("T", "Transmission fluid", "°C", .gearboxTemperature),
            // A table names the first, with a role of its own, and the second without one.
            ("EV_SOC_BMS", "Battery state of charge (battery's own)", "%", .ownCharge),
            ("RPM", "Odometer", "km", nil), ("X", "Anything", "%", nil),
        ] as [(String, String, String, SignalRole?)])
    func `a signal's role comes from the tables, else from the signal's name`(
        id: String, name: String, unit: String, wanted: SignalRole?
    ) {
        #expect(roles.role(of: signal(id, name, unit)) == wanted)
    }

    @Test func `every pack of an electric car has the state of charge`() throws {
        for pack in PIDTables.packs() where pack.name.contains("ev") || pack.name.contains("i3") {
            let aliases = try PIDTables.records(of: pack).flatMap(\.signals).flatMap(\.aliases)
            #expect(aliases.contains("ev-soc"), "\(pack.name)")
        }
    }
}
