import Diagnostics
import OBDCore
import Testing

@Suite struct `Service 09` {
    private static let vin = "3144344750303052353542313233343536"
    private static let shortVIN = "31443447503030523535423132333435"
    private static let counters: String =
        (1...16).map { Hex.string(UInt32($0), digits: 4) }.joined()
    private static let counterWords = (1...16).map { "IPT\($0 - 1)=\($0)" }

    // The VIN is the ELM327 data sheet's, with an invented serial number. 1M8GDM9AXKP042788 is the
    // usual example for 49 CFR 565, with the check digit X. The CALID and the map are a Dacia's.
    @Test(arguments: [
        Row("0902", .can, ["490201\(vin)"], ["VIN=1D4GP00R55B123456 invalid"]),
        Row(
            "0902", .can, ["490201314847434D383236333341303034333532"],
            [
                "VIN=1HGCM82633A004352 valid"
            ]),
        Row(
            "0902", .can, ["490201314D3847444D3941584B50303432373838"],
            [
                "VIN=1M8GDM9AXKP042788 valid"
            ]),
        Row(
            "0902", .can, ["490201314D3847444D3941314B50303432373838"],
            [
                "VIN=1M8GDM9A1KP042788 invalid"
            ]),
        Row("0902", .can, ["4902012020\(vin)"], ["VIN=1D4GP00R55B123456 invalid"]),
        Row("0902", .can, ["490201\(vin)000000"], ["VIN=1D4GP00R55B123456 invalid"]),
        Row("0902", .can, ["490201FF\(shortVIN)"], ["VIN=tooShort"]),
        Row("0902", .can, ["490201FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"], ["VIN=notAvailable"]),
        Row(
            "0902", .can, ["4902011B5B324A50303052353542313233343536"],
            [
                #"VIN=\x1B[2JP00R55B123456 invalid"#
            ]),
        Row("0902", .can, ["490201\(shortVIN)"], ["error"]),
        Row("0902", .can, ["490202\(vin)"], ["error"]),
        Row("0902", .can, ["490201\(vin)3738"], ["error"]),
        Row("0902", .can, ["4902"], ["error"]),
        Row("0902", .can, ["490401\(vin)"], ["message"]),
        Row("0904", .can, ["49040132333736313634323553000000000000"], ["CALID=237616425S"]),
        Row(
            "0904", .can,
            ["4904023233373631363432355300000000000041424320202020202020202020202020"],
            [
                "CALID=237616425S", "CALID=ABC",
            ]),
        Row("0904", .can, ["49040232333736313634323553000000000000"], ["error"]),
        // Some ECUs omit the filler.
        Row("0904", .can, ["4904013233373631363432"], ["CALID=23761642"]),
        Row("0904", .can, ["490400"], ["message"]),
        Row("0906", .can, ["4906021791BC8200000A01"], ["CVN=1791BC82", "CVN=00000A01"]),
        Row("0906", .can, ["4906011791BC"], ["error"]),
        Row("0908", .can, ["490810\(counters)"], counterWords),
        Row("0908", .can, ["490814\(counters)"], ["error"]),
        Row("0908", .can, ["490810\(counters.dropLast(2))"], ["error"]),
        Row(
            "090A", .can, ["490A0145434D002D456E67696E65436F6E74726F6C0000"],
            [
                "ECUNAME=ECM-EngineControl"
            ]),
        Row("0912", .can, ["49120101F4"], ["FEOCNTR=500"]),
        Row("0913", .can, ["49130101F4"], ["message"]),
        Row("0900", .can, ["490055420000"], ["ITSUP_00=02 04 06 08 0A 0F"]),
        Row(
            "09002040", .can, ["49005542000120 80000000"],
            [
                "ITSUP_00=02 04 06 08 0A 0F 20", "ITSUP_20=21",
            ]),
        Row("0900", .can, ["49005542"], ["error"]),
    ])
    func `on CAN the number of items comes first`(_ row: Row) {
        let asked = Asked(request: row.request, family: row.family)
        #expect(decode(asked, row.answers) == row.expected)
    }

    private static let parts = [
        "49020100000031", "49020244344750", "49020330305235", "49020435423132", "49020533343536",
    ]

    private static let counterParts: [String] = (0..<8).map { part in
        let first = Hex.string(UInt32(part * 2 + 1), digits: 4)
        let second = Hex.string(UInt32(part * 2 + 2), digits: 4)
        return "4908\(Hex.string([UInt8(part + 1)]))\(first)\(second)"
    }

    @Test(arguments: [
        Row("0902", .iso9141, parts, ["VIN=1D4GP00R55B123456 invalid"]),
        Row("0902", nil, parts, ["VIN=1D4GP00R55B123456 invalid"]),
        Row("0902", .j1850, parts.reversed(), ["VIN=1D4GP00R55B123456 invalid"]),
        Row("0902", .iso9141, parts + parts, ["VIN=1D4GP00R55B123456 invalid"]),
        Row("0902", .iso9141, Array(parts.dropFirst()), ["error"]),
        Row("0902", .iso9141, Array(parts.dropLast()), ["error"]),
        Row("0902", .iso9141, [parts[0], parts[1], parts[3], parts[4]], ["error"]),
        Row("0902", .iso9141, parts + ["49020533343537"], ["error"]),
        Row("0902", .iso9141, parts + ["49020633343537"], ["error"]),
        Row("0902", .iso9141, [parts[0], "490202443447"], ["error", "error"]),
        Row("0900", .iso9141, ["490001F0000000"], ["ITSUP_00=01 02 03 04"]),
        Row("0900", nil, ["490001F0000000"], ["ITSUP_00=01 02 03 04"]),
        Row("0900", .iso9141, ["4900F0000000"], ["error"]),
        Row("0901", .iso9141, ["490105"], ["MC_VIN=5"]),
        Row(
            "0904", .iso9141,
            ["49040132333736", "49040231363432", "49040335530000", "49040400000000"],
            [
                "CALID=237616425S"
            ]),
        Row("0904", .iso9141, ["49040132333736", "49040231363432", "49040335530000"], ["error"]),
        Row(
            "0906", .iso9141, ["4906011791BC82", "49060200000A01"],
            ["CVN=1791BC82", "CVN=00000A01"]),
        Row("0908", .iso9141, counterParts, counterWords),
        Row("090C", .iso9141, ["490C0100000031"], ["message"]),
    ])
    func `before CAN numbered parts are joined when the exchange ends`(_ row: Row) {
        let asked = Asked(request: row.request, family: row.family, ecu: nil)
        #expect(decode(asked, row.answers) == row.expected)
    }

    @Test func `raw bytes of a VIN are its characters without the padding`() {
        let vin = Array("1D4GP00R55B123456".utf8)
        let can = Exchange(request: [0x09, 0x02], family: .can)
        let legacy = Exchange(request: [0x09, 0x02], family: .iso9141)
        var items: [DiagnosticItem] = []
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        decoder.decode(ECUMessage(ecu: nil, payload: [0x49, 0x02, 0x01] + vin), in: can, &items)
        for part in Self.parts {
            decoder.decode(
                ECUMessage(ecu: nil, payload: Hex.bytes(part) ?? []), in: legacy, &items)
        }
        decoder.endExchange(legacy, &items)
        #expect(items.count == 2)
        for case .reading(let reading) in items { #expect(reading.raw == InlineBytes(vin)) }
    }

    @Test func `a missing last part is noticed if the ECU reported the number of parts`() {
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        let count = Asked(request: "0905", family: .iso9141, ecu: nil)
        let numbers = Asked(request: "0906", family: .iso9141, ecu: nil)
        #expect(decode(count, ["490502"], by: &decoder) == ["MC_CVN=2"])
        #expect(decode(numbers, ["4906011791BC82"], by: &decoder) == ["error"])
    }

    /// The adapter's report of the protocol may be damaged, but the address was in the frame
    /// itself.
    ///
    /// The numbered parts of ISO 15031-5 come with the source byte 10 although the link reports
    /// CAN, and the reverse.
    @Test func `the address decides the form of a frame, even if the reported protocol differs`() {
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        func decode(_ address: String, _ said: VehicleProtocol, _ answers: [String]) -> [String] {
            let exchange = Exchange(request: [0x09, 0x02], vehicleProtocol: said)
            var items: [DiagnosticItem] = []
            for answer in answers {
                decoder.decode(
                    ECUMessage(ecu: ECUAddress(address), payload: Hex.bytes(answer) ?? []),
                    in: exchange, &items)
            }
            decoder.endExchange(exchange, &items)
            return items.map(short)
        }
        let expected = decode("10", .j1850VPW, Self.parts)
        #expect(expected == ["VIN=1D4GP00R55B123456 invalid"])
        #expect(decode("10", .can11At500, Self.parts) == expected)
        #expect(decode("7E8", .iso9141, ["490201\(Self.vin)"]) == expected)
    }

    @Test func `parts of two ECUs are kept apart, and nothing remains for the next exchange`() {
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        var items: [DiagnosticItem] = []
        let exchange = Exchange(request: [0x09, 0x06], family: .iso9141)
        for (address, data) in [(UInt32(0x10), UInt8(1)), (0x18, 2)] {
            decoder.decode(
                ECUMessage(
                    ecu: ECUAddress(address, .byte), payload: [0x49, 0x06, 0x01, 0, 0, 0, data],
                    line: Int(address)), in: exchange, &items)
        }
        #expect(items.isEmpty)
        decoder.endExchange(exchange, &items)
        #expect(items.map(short) == ["CVN=00000001", "CVN=00000002"])
        guard case .reading(let first)? = items.first else { return }
        #expect(first.ecu == ECUAddress(0x10, .byte))
        #expect(first.line == 0x10)
        items = []
        decoder.endExchange(exchange, &items)
        #expect(items.isEmpty)
    }
}

@Suite struct `UDS data identifiers` {
    private static let vin = "3144344750303052353542313233343536"

    // SAE J1979-2: PIDs are at F4xx, monitor IDs at F6xx, info types at F8xx.
    @Test(arguments: [
        Pair("22F40C", "62F40C1AF8", ["RPM=1726"]),
        Pair("22F40CF40D", "62F40D32F40C1AF8", ["VSS=50", "RPM=1726"]),
        Pair("22F40C", "62F40C1A", ["error"]),
        Pair("22F40C", "62F40D32", ["message"]),
        Pair("22F400", "62F40080000001", ["PIDSUP_00=F401 F420"]),
        Pair("22F500", "62F50080000000", ["PIDSUP_00=F501"]),
        Pair("22F600", "62F60080000000", ["MIDSUP_00=F601"]),
        Pair("22F800", "62F80040000000", ["ITSUP_00=F802"]),
        Pair("22F441", "62F4410000", ["error"]),
        Pair("22F802", "62F802\(vin)", ["VIN=1D4GP00R55B123456 invalid"]),
        Pair("22F802", "62F80201\(vin)", ["VIN=1D4GP00R55B123456 invalid"]),
        Pair("22F802", "62F80231443447503030523535423132333435", ["error"]),
        Pair("22F804", "62F80432333736313634323553000000000000", ["CALID=237616425S"]),
        Pair("22F804", "62F8040132333736313634323553000000000000", ["CALID=237616425S"]),
        Pair("22F806", "62F8061791BC82", ["CVN=1791BC82"]),
        Pair("22F806", "62F806021791BC8200000A01", ["CVN=1791BC82", "CVN=00000A01"]),
        Pair(
            "22F80A", "62F80A45434D002D456E67696E65436F6E74726F6C0000",
            [
                "ECUNAME=ECM-EngineControl"
            ]),
        Pair("22F810", "62F81001", ["message"]),
        Pair(
            "22F601", "62F601010A0BB00BB00BB0",
            [
                "test mid 01 tid 01 value 365.234375 min 365.234375 max 365.234375 mV passed"
            ]),
        Pair("22F601", "62F601010A0BB00BB00B", ["error"]),
        Pair("22F190", "62F190\(vin)", ["VIN_DID=1D4GP00R55B123456"]),
        Pair("221234", "62123401F4", ["DID=500"]),
        Pair("22123401", "62123401F4", ["DID=500"]),
        Pair("22D001", "62D00101F4", ["message"]),
        Pair("22D001", "62D0", ["error"]),
        Pair(nil, "62F40C1AF8", ["RPM=1726"]),
    ])
    func `each identifier of service 22 decodes like the PID or monitor that it represents`(
        _ row: Pair
    ) {
        #expect(decode(Asked(request: row.request), [row.answer]) == row.expected)
    }

    @Test func `a reading of service 22 has the requested identifier`() {
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        var items: [DiagnosticItem] = []
        decoder.decode(
            ECUMessage(ecu: nil, payload: [0x62, 0xF4, 0x0C, 0x1A, 0xF8]),
            in: Exchange(request: [0x22, 0xF4, 0x0C], family: .can), &items)
        guard case .reading(let reading)? = items.first else {
            Issue.record("no reading")
            return
        }
        #expect(reading.dataID == DataID(.readData, 0xF40C))
    }

    @Test func `readiness is read by identifier`() {
        #expect(
            decode(Asked(request: "22F401"), ["62F40181076504"]).prefix(3) == [
                "MIL=yes", "DTC_CNT=1", "sinceClear misfire complete",
            ])
    }

    // Bytes B to F have four monitors each: low bits = supported, high bits = not complete. Three
    // AUTOSAR stacks use this layout for F501 (SAE J1979-DA, 2021).
    @Test func `readiness of SAE J1979-2 is read`() {
        let items = decode(
            Asked(request: "22F501"), ["62F50182" + "17" + "15" + "11" + "4D" + "00"])
        #expect(items.count == 22)
        #expect(
            items.filter { !$0.hasSuffix("unsupported") } == [
                "MIL=yes", "DTC_CNT=2", "sinceClear misfire incomplete",
                "sinceClear fuelSystem complete", "sinceClear components complete",
                "sinceClear catalyst incomplete", "sinceClear heatedCatalyst complete",
                "sinceClear evaporative incomplete", "sinceClear exhaustGasSensor complete",
                "sinceClear egr incomplete", "sinceClear vvt complete",
            ])
        #expect(decode(Asked(request: "22F501"), ["62F5018107650400"]) == ["error"])
        #expect(decode(Asked(request: "22F401"), ["62F501810700000000"]) == ["message"])
    }
}

@Suite struct `Services 05 and 06` {
    // Layouts of SAE J1979. The CAN rows of MID 3D are a Hyundai's, the KWP rows those of a
    // simulator by Diamex. 0A: 1000/8192 mV per bit; FE: signed, 1/4 Pa.
    @Test(arguments: [
        Row(
            "0601", .can, "4601010A0BB00BB00BB0",
            [
                "test mid 01 tid 01 value 365.234375 min 365.234375 max 365.234375 mV passed"
            ]),
        Row(
            "0601", .can, "4601010A0BB00BB10BB2",
            [
                "test mid 01 tid 01 value 365.234375 min 365.3564453125 max 365.478515625 mV failed"
            ]),
        Row(
            "0601", .can, "4601010A000000000000",
            [
                "test mid 01 tid 01 value 0.0 min 0.0 max 0.0 mV not run"
            ]),
        Row(
            "0639", .can, "463980FEFFFCFFF80004",
            [
                "test mid 39 tid 80 value -1.0 min -2.0 max 1.0 Pa passed"
            ]),
        Row(
            "0639", .can, "46398016019000000FA0",
            [
                "test mid 39 tid 80 value 0.0 min -40.0 max 360.0 °C passed"
            ]),
        // Unknown scaling: numbers without a unit, signed from 80 on.
        Row(
            "0639", .can, "4639807F800000018001",
            [
                "test mid 39 tid 80 value 32768.0 min 1.0 max 32769.0 passed"
            ]),
        Row(
            "0639", .can, "46398080800000018001",
            [
                "test mid 39 tid 80 value -32768.0 min 1.0 max -32767.0 failed"
            ]),
        Row(
            "0639", .can, "463980BF800000018001",
            [
                "test mid 39 tid 80 value -32768.0 min 1.0 max -32767.0 failed"
            ]),
        Row(
            "06A2", .can, "46A20B2400000000FFFFA20C2400010000FFFF",
            [
                "test mid A2 tid 0B value 0.0 min 0.0 max 65535.0 passed",
                "test mid A2 tid 0C value 1.0 min 0.0 max 65535.0 passed",
            ]),
        Row("0601", .can, "4601010A0BB00BB00B", ["error"]),
        Row(
            "0601", .can, "4601010A0BB00BB00BB001",
            [
                "test mid 01 tid 01 value 365.234375 min 365.234375 max 365.234375 mV passed",
                "error",
            ]),
        Row(
            "0601", .can, "4601010A0BB00BB00BB0000000",
            [
                "test mid 01 tid 01 value 365.234375 min 365.234375 max 365.234375 mV passed"
            ]),
        Row("0601", .can, "4602010A0BB00BB00BB0", ["message"]),
        Row("0600", .can, "4600C0000001", ["MIDSUP_00=01 02 20"]),
        Row(
            "06002040", .can, "4600C00000012080000001",
            [
                "MIDSUP_00=01 02 20", "MIDSUP_20=21 40",
            ]),
        Row("0600", .can, "4600C000", ["error"]),
        Row("0600", .can, "46", ["error"]),
        Row(
            "0606", .iso14230, "460603005A9C40",
            [
                "test tid 06 component 03 value 90.0 max 40000.0 passed"
            ]),
        Row(
            "0606", .iso14230, "460685005A0000",
            [
                "test tid 06 component 05 value 90.0 min 0.0 passed"
            ]),
        Row(
            "0606", .iso14230, "460603FFFF9C40",
            [
                "test tid 06 component 03 value 65535.0 max 40000.0 failed"
            ]),
        Row(
            "0606", nil, "460603005A9C40",
            [
                "test tid 06 component 03 value 90.0 max 40000.0 passed"
            ]),
        Row("0606", .iso14230, "460603005A9C", ["error"]),
        Row("0600", .iso9141, "4600FFC0000001", ["TIDSUP_00=01 02 20"]),
        Row("0600", nil, "4600FFC0000001", ["TIDSUP_00=01 02 20"]),
        Row("0600", nil, "4600C0000001", ["MIDSUP_00=01 02 20"]),
        // Service 05: 0.005 V and 0.004 s per bit.
        Row("050101", .iso9141, "4501015A", ["test tid 01 component 01 value 0.45 V not run"]),
        Row(
            "050501", .iso9141, "4505010F0032",
            [
                "test tid 05 component 01 value 0.06 min 0.0 max 0.2 s passed"
            ]),
        Row("050501", .iso9141, "4505010F", ["error"]),
        Row("050501", .iso9141, "4505020F0032", ["message"]),
        Row("050001", .iso9141, "450001FC000000", ["message"]),
        Row("053001", .iso9141, "4530010F0032", ["message"]),
        Row("050501", .can, "4505010F0032", ["message"]),
    ])
    func `a result of a test has limits and a verdict`(_ row: Row) {
        let asked = Asked(request: row.request, family: row.family, ecu: nil)
        #expect(decode(asked, row.answers) == row.expected)
    }

    @Test func `the name of a test result depends on monitor, test and scaling`() {
        let tables = TestTable.monitors
        #expect(tables.monitorName(0x01, tid: 0x01, uas: 0x0A) == "Oxygen sensor B1S1")
        #expect(tables.monitorName(0xB0, tid: 0x0B, uas: 0x24) == "Misfire cylinder 15")
        #expect(tables.monitorName(0xB0, tid: 0x80, uas: 0x0A) == "PM filter B1")
        #expect(tables.monitorName(0xB0, tid: 0x0B, uas: 0x0A) == "PM filter B1")
        #expect(tables.monitorName(0x55, tid: 0x01, uas: 0x0A) == nil)
    }
}
