import OBDCore
import Testing

@Suite struct `Protocols and addresses` {
    /// The ELM327's list for `AT SP` (data sheet, "OBD Message Formats"): the number, and the bits
    /// of an address.
    private static let table: [(digit: String, family: VehicleProtocol.Family, bits: Int)] = [
        ("1", .j1850, 8), ("2", .j1850, 8), ("3", .iso9141, 8), ("4", .iso14230, 8),
        ("5", .iso14230, 8), ("6", .can, 11), ("7", .can, 29), ("8", .can, 11), ("9", .can, 29),
        ("A", .j1939, 29), ("B", .can, 11), ("C", .can, 11),
    ]

    @Test func `the numbers of protocols match those of the ELM327`() throws {
        // The ELM327 has no DoIP.
        #expect(VehicleProtocol.allCases.filter { $0 != .doip }.count == Self.table.count)
        for row in Self.table {
            let found = try #require(VehicleProtocol(row.digit))
            #expect(found.digit == row.digit)
            #expect(found.family == row.family)
            #expect(found.family.isLegacy == (row.bits == 8))
            switch found.addressForm {
            case .byte: #expect(row.bits == 8)
            case .can11: #expect(row.bits == 11)
            case .can29: #expect(row.bits == 29)
            case .logical: Issue.record("an ELM327 knows no logical addresses")
            }
            #expect(VehicleProtocol(row.digit.lowercased()) == found)
        }
    }

    /// Options and configuration use these names, for example `iso15765-11-500`.
    @Test func `printed names can be read again`() {
        for one in VehicleProtocol.allCases {
            #expect(VehicleProtocol(one.name) == one)
            #expect(VehicleProtocol(one.name.uppercased()) == one)
        }
        #expect(VehicleProtocol("iso15765-29-250") == .can29At250)
        #expect(Set(VehicleProtocol.allCases.map(\.name)).count == 13)
        #expect(Set(VehicleProtocol.allCases.map(\.title)).count == 13)
    }

    /// The bits and rates in the titles are those of the standard, and they match the names.
    @Test func `the titles of protocols agree with their names`() {
        for one in VehicleProtocol.allCases where one.name.hasPrefix("iso15765") {
            let parts = one.name.split(separator: "-")
            #expect(one.title == "ISO 15765-4 CAN, \(parts[1]) bit, \(parts[2]) kbit/s")
        }
        #expect(VehicleProtocol.j1850PWM.title == "SAE J1850 PWM")
        #expect(VehicleProtocol.j1850VPW.title == "SAE J1850 VPW")
        #expect(VehicleProtocol.iso9141.title == "ISO 9141-2")
        #expect(VehicleProtocol.iso14230Slow.title.contains("5-baud"))
        #expect(VehicleProtocol.iso14230Fast.title.contains("fast"))
        #expect(VehicleProtocol.j1939.title.contains("29 bit, 250 kbit/s"))
    }

    @Test(arguments: ["", "0", "D", "66", "-1", "+6", "iso15765", "Ω", " 6"])
    func `text that is not a protocol is refused`(text: String) {
        #expect(VehicleProtocol(text) == nil)
    }

    @Test(arguments: [
        "", "7", "7E", "7E8", "1010", "18DAF110", "7E8/F1", "18DAF110/00",
    ])
    func `text after an address is refused`(text: String) {
        #expect(ECUAddress(text)?.description == ([0, 1].contains(text.count) ? nil : text))
    }

    @Test(arguments: [
        "800", "FFF", "20000000", "7E8/", "/F1", "7E8/F", "7E8/F1/F1", "7E8/+1", "7E8/-0", "+E8",
        "-E8", "7E 8", "7G8", "018DAF110",
    ])
    func `text that is not an address is refused`(text: String) {
        #expect(ECUAddress(text) == nil)
    }

    /// ISO 13400-2: the addresses of entities, testers and groups.
    @Test(arguments: [
        ("0000", false, false), ("0001", true, false), ("0DFF", true, false),
        ("0E00", false, false),
        ("0E80", false, false), ("0FFF", false, false), ("1000", true, false),
        ("7FFF", true, false),
        ("8000", false, false), ("DFFF", false, false), ("E000", false, true),
        ("E400", false, true), ("EFFF", false, true), ("F000", false, false),
    ])
    func `a logical address is an ECU's, a group's or reserved`(
        text: String, isECU: Bool, isGroup: Bool
    ) throws {
        let address = try #require(ECUAddress(text))
        #expect(address.form == .logical)
        #expect(address.description == text)
        #expect(address.isLogicalECU == isECU)
        #expect(address.isLogicalGroup == isGroup)
        #expect(address.isDiagnosticRequest == (isECU || isGroup))
        #expect(address.takes([0x22, 0xF1, 0x90]) == (isECU || isGroup))
        #expect(address.physicalRequest == address)
        #expect(address.usualResponder == address)
    }

    /// ISO 15765-4: requests go to 7E0–7E7, answers come from 7E8–7EF.
    ///
    /// With 29 bits the target and the source are swapped.
    @Test func `request and answer addresses belong together as in ISO 15765-4`() throws {
        for number in UInt32(0)..<8 {
            let asked = ECUAddress(0x7E0 + number, .can11)
            #expect(asked.isUsualRequest && !asked.usualResponder.isUsualRequest)
            #expect(asked.usualResponder == ECUAddress(0x7E8 + number, .can11))
            #expect(asked.usualResponder.physicalRequest == asked)
        }
        let asked = try #require(ECUAddress("18DA10F1"))
        #expect(asked.isUsualRequest && asked.usualResponder == ECUAddress("18DAF110"))
        #expect(ECUAddress("18DB33F1")?.isUsualRequest == false)
        #expect(ECUAddress("7DF")?.isUsualRequest == false)
        #expect(ECUAddress("745")?.isUsualRequest == false)
        // Before CAN an ECU has only one address.
        #expect(ECUAddress("10")?.isUsualRequest == true)
        #expect(ECUAddress("10")?.usualResponder == ECUAddress("10"))
        #expect(ECUAddress("10")?.physicalRequest == ECUAddress("10"))
        // Addresses that begin with 0 have no address eight below them. Each digit is four bits.
        #expect(ECUAddress("005")?.physicalRequest == ECUAddress("005"))
        #expect(ECUAddress("7FF")?.usualResponder == ECUAddress("007"))
        #expect(ECUAddress("005")?.digits == "005")
        #expect(ECUAddress("05")?.digits == "05")
        #expect(ECUAddress("00000005")?.digits == "00000005")
    }

    @Test func `addresses are listed by kind, then by number`() throws {
        let sorted = try ["10", "F1", "7E0", "7E8", "7E8/01", "7E8/F1", "18DAF110", "18DAF118"]
            .map { try #require(ECUAddress($0)) }
        #expect(sorted.reversed().sorted() == sorted)
    }

    @Test(arguments: [
        ("01:0C", Service.currentData, UInt32(0x0C), "01:0C"),
        ("22:F40C", .readData, 0xF40C, "22:F40C"), ("22:1", .readData, 1, "22:0001"),
        ("9:2", .vehicleInformation, 2, "09:02"), ("21:100", .readLocalData, 0x100, "21:0100"),
        ("FE:F004", DataID.parameterGroups, 0xF004, "FE:00F004"),
    ])
    func `identifiers have the number of digits of their service`(
        text: String, service: Service, id: UInt32, written: String
    ) throws {
        let read = try #require(DataID(text))
        #expect(read == DataID(service, id))
        #expect(read.description == written)
        #expect(DataID(written) == read)
    }

    @Test(arguments: [
        "", ":", "01", "01:", ":0C", "01:0C:", "001:0C", "01:1234567", "01:0G", "+1:0C", "01:+C",
        "-0:0C", "01:-0", "0x:0C", "01 0C",
    ])
    func `text that is not an identifier is refused`(text: String) {
        #expect(DataID(text) == nil)
    }

    @Test func `identifiers are listed by service, then by number`() {
        let sorted = [
            DataID(.currentData, 4), DataID(.currentData, 0x0C), DataID(.vehicleInformation, 2),
            DataID(.readData, 0xF190), DataID(DataID.parameterGroups, 0xF004),
        ]
        #expect(sorted.reversed().sorted() == sorted)
    }

    @Test func `an exchange has the frame format of its protocol`() {
        #expect(Exchange(vehicleProtocol: .can29At250).family == .can)
        #expect(Exchange(vehicleProtocol: .iso9141, family: .iso14230).family == .iso14230)
        #expect(Exchange().family == nil)
    }
}
