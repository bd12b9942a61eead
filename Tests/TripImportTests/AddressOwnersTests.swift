import Diagnostics
import OBDCore
import Testing

@testable import TripImport

/// SAE J1939-81: of two claims of an address the smaller NAME wins, and a loser may send nothing for 250 ms.
@Suite struct `Addresses that change their ECU` {
    /// An event at a time in ms: a claim by a NAME, or another frame (nil); and the ECU that sent it.
    private static let courses: [(name: String, events: [(Int64, UInt64?, Int)])] = [
        ("no claim", [(0, nil, 1), (10, nil, 1)]),
        ("one ECU claims again", [(0, nil, 1), (5, 7, 1), (10, nil, 1), (20, 7, 1), (30, nil, 1)]),
        (
            "a smaller NAME has the address at once",
            [(0, 7, 1), (10, 3, 2), (11, nil, 2), (500, nil, 2)]
        ),
        (
            "a larger NAME has it after 250 ms",
            [(0, 3, 1), (10, 7, 2), (11, nil, 1), (259, nil, 1), (260, nil, 2), (261, nil, 2)]
        ),
        (
            "an owner that defends it keeps it",
            [(0, 3, 1), (10, 7, 2), (20, 3, 1), (300, nil, 1), (900, nil, 1)]
        ),
        (
            "an ECU that comes back is the same",
            [(0, 7, 1), (10, 3, 2), (900, 7, 1), (901, nil, 2), (1_200, nil, 1)]
        ),
        ("the third", [(0, 7, 1), (10, 3, 2), (20, 2, 3), (30, nil, 3)]),
        ("a clock that was set back", [(9_000, 3, 1), (9_010, 7, 2), (10, nil, 2)]),
    ]

    @Test(arguments: courses.indices)
    func `each frame belongs to the ECU that has the address at that time`(
        course: Int
    ) {
        var owners = AddressOwners()
        for (time, name, number) in Self.courses[course].events {
            let found =
                name.map { owners.claim(0x21, $0, at: time * 1_000).number }
                ?? owners.owner(of: 0x21, at: time * 1_000).number
            #expect(found == number, "\(Self.courses[course].name), \(time) ms")
            #expect(owners.owner(of: 0x22, at: time * 1_000).number == 1)
        }
    }

    @Test func `without times a claim counts at once`() {
        var owners = AddressOwners()
        #expect(owners.claim(0x21, 3, at: nil) == .init(number: 1, isNew: false))
        #expect(owners.claim(0x21, 7, at: nil) == .init(number: 2, isNew: true))
        #expect(owners.owner(of: 0x21, at: nil) == .init(number: 2, isNew: false))
    }

    /// ECUs that found no address say so from FE.
    @Test func `no ECU has the null address`() {
        var owners = AddressOwners()
        for name in UInt64(1)..<9 {
            #expect(owners.claim(0xFE, name, at: 0) == .init(number: 1, isNew: false))
        }
    }

    @Test func `the reading of a file with random claims ends`() {
        var owners = AddressOwners()
        for name in UInt64(0)..<5_000 {
            let number = owners.claim(0x21, 10_000 - name, at: Int64(name)).number
            #expect((1...255).contains(number))
        }
    }

    /// CCVS1 is 1/256 km/h; the other ECU has a message in packets that is not finished.
    @Test func `values of two ECUs at one address are kept apart`() throws {
        let file = try ImportedFile(
            """
            (1700000000.000000) can0 18FECA21#04FF00000000FFFF
            (1700000000.010000) can0 18EEFF21#0700000000000000
            (1700000000.100000) can0 18FEF121#FF0032FFFFFFFFFF
            (1700000000.200000) can0 1CECFF21#20120003FFCAFE00
            (1700000000.250000) can0 1CEBFF21#0104FF5B0003015C
            (1700000000.300000) can0 18EEFF21#0300000000000000
            (1700000000.310000) can0 1CEBFF21#020004025D000503
            (1700000000.400000) can0 18FEF121#FF0033FFFFFFFFFF
            """)
        let speeds = file.readings.filter { $0.dataID?.id == 0xFEF1 }
        #expect(speeds.contains { $0.ecu?.description == "21" && $0.value == .number(50) })
        #expect(speeds.contains { $0.ecu?.description == "21/02" && $0.value == .number(51) })
        #expect(
            !speeds.contains { $0.ecu?.description == "21" && $0.value == .number(51) })
        let identities = file.readings.filter { $0.dataID?.id == 0xEE00 }
        #expect(Set(identities.map { $0.ecu?.description }) == ["21", "21/02"])
        // The message in packets was never joined.
        #expect(file.codes.isEmpty)
        #expect(file.skipped.count > 0)
    }

    /// The new owner waits for 250 ms, and announces a long message before it sends anything else.
    @Test func `the first message of an address's new owner is complete`() throws {
        let file = try ImportedFile(
            """
            (1700000000.000000) can0 18FECA21#04FF00000000FFFF
            (1700000000.010000) can0 18EEFF21#0300000000000000
            (1700000000.100000) can0 1CECFF21#20120003FFCAFE00
            (1700000000.110000) can0 1CEBFF21#0100FF5B0003015C
            (1700000000.200000) can0 18EEFF21#0700000000000000
            (1700000000.450000) can0 1CECFF21#20120003FFCAFE00
            (1700000000.500000) can0 18FEF121#FF0033FFFFFFFFFF
            (1700000000.510000) can0 1CEBFF21#0100FF5B0003015C
            (1700000000.560000) can0 1CEBFF21#020004025D000503
            (1700000000.610000) can0 1CEBFF21#035E000604FFFFFF
            """)
        #expect(file.codes == ["SPN91/FMI3", "SPN92/FMI4", "SPN93/FMI5", "SPN94/FMI6"])
        // The message of the ECU that had the address before ends.
        #expect(file.skipped.count == 1)
    }

    @Test(arguments: [(800, false), (700, true)]) func `a late packet ends its message`(
        milliseconds: Int, isWhole: Bool
    ) throws {
        let file = try ImportedFile(
            """
            (1700000000.010000) can0 18ECFF00#20120003FFCAFE00
            (1700000000.100000) can0 18EBFF00#0100FF5B0003015C
            (1700000000.\(100 + milliseconds)000) can0 18EBFF00#020004025D000503
            (1700000000.950000) can0 18EBFF00#035E000604FFFFFF
            """)
        #expect(file.codes.isEmpty == !isWhole)
    }

    /// The second may have just begun or be nearly over.
    @Test func `with times in whole seconds no message is given up`() throws {
        let file = try ImportedFile(
            """
            (1700000000.000000) can0 18ECFF00#20120003FFCAFE00
            (1700000000.000000) can0 18EBFF00#0100FF5B0003015C
            (1700000001.000000) can0 18EBFF00#020004025D000503
            (1700000001.000000) can0 18EBFF00#035E000604FFFFFF
            """)
        #expect(file.codes.count == 4)
    }
}
