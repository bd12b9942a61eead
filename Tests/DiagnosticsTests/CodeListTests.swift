import Diagnostics
import OBDCore
import Testing

@Suite struct `Lists of codes` {
    // Codes by SAE J2012: 0133 = P0133, C123 = U0123, 4356 = C0356, 9234 = B1234.
    @Test(arguments: [
        Row("03", .can, "43020133C123", ["stored P0133", "stored U0123"]),
        Row("07", .can, "470101 33", ["pending P0133"]),
        Row("0A", .can, "4A0143 56", ["permanent C0356"]),
        Row("03", .can, "4300", []),
        Row("03", .can, "4303013302019234", ["stored P0133", "stored P0201", "stored B1234"]),
        Row("03", .can, "43020133 0000", ["stored P0133"]),
        Row("03", .can, "430101330000", ["stored P0133"]),
        Row("03", .can, "4300000000000000", []),
        // The count is not a code, and the codes do not replace the count. If they disagree, the
        // codes are reported anyway, with an error.
        Row("03", .can, "43030133C123", ["stored P0133", "stored U0123", "error"]),
        Row("03", .can, "43010133C123", ["stored P0133", "stored U0123", "error"]),
        Row("03", .can, "43000133", ["stored P0133", "error"]),
        Row("03", .can, "4302013302", ["stored P0133", "error"]),
        Row("03", .can, "43010133C1", ["stored P0133", "error"]),
        Row("03", .can, "43040133AAAAAAAAAA", ["stored P0133", "error"]),
        Row("03", .can, "43030133AAAA", ["stored P0133", "error"]),
        Row("03", .can, "4303", ["error"]),
        // Without a count, as before CAN, the six bytes could be P0102, P1120 and P1220.
        Row("03", .can, "43010211201220", ["error"]),
        Row("03", .can, "430201", ["error"]),
        Row("03", .can, "43", ["error"]),
        Row("03", .iso9141, "43013300000000", ["stored P0133"]),
        // A Corvette's answer on J1850 VPW.
        Row("03", .j1850, "43010211201220", ["stored P0102", "stored P1120", "stored P1220"]),
        Row("03", .iso14230, "43000000000000", []),
        // Without a header no checksum shows whether bytes are missing inside.
        Row("03", .iso14230, "430133", ["error"]),
        Row("03", .iso9141, "430133C120", ["error"]),
        // The count says one code, and an unknown protocol may have none.
        Row("03", nil, "430133C123941000", ["error"]),
        Row("03", .iso14230, "430133C1", ["error"]),
        Row("03", .iso14230, "4301330000000000", ["error"]),
        Row("03", .iso14230, "43", ["error"]),
        // The protocol is unknown. An even or odd number of bytes shows it.
        Row("03", nil, "43020133C123", ["stored P0133", "stored U0123"]),
        Row("03", nil, "43010211201220", ["stored P0102", "stored P1120", "stored P1220"]),
        Row("03", nil, "4300", []),
        Row("03", nil, "4305013301", ["error"]),
        Row("03", nil, "430133", ["error"]),
        Row("07", .can, "43020133C123", ["message"]),
    ])
    func `a list of codes has a count on CAN, and three codes per message before CAN`(_ row: Row) {
        let asked = Asked(request: row.request, family: row.family, ecu: nil)
        #expect(decode(asked, row.answers) == row.expected)
    }

    @Test func `without a known protocol the form of the address decides`() {
        let byte = Asked(request: "03", family: nil, ecu: ECUAddress(0x10, .byte))
        #expect(decode(byte, ["43013302010000"]) == ["stored P0133", "stored P0201"])
        #expect(decode(byte, ["430133"]) == ["stored P0133", "error"])
        let can = Asked(request: "03", family: nil, ecu: ECUAddress(0x18DA_F110, .can29))
        #expect(decode(can, ["43013302010000"]) == ["error"])
    }

    // KWP 18 00 FF 00: `58 n {code status}`, ISO 14230-3.
    @Test(arguments: [
        Row("1800FF00", .iso14230, "58010133E0", ["stored P0133 status E0"]),
        // Bits 6 and 5: 01 stored, 10 maturing, 11 present, 00 none of these.
        Row(
            "1800FF00", .iso14230, "5804013320020140030460C123A3",
            [
                "stored P0133 status 20", "pending P0201 status 40", "stored P0304 status 60",
                "stored U0123 status A3",
            ]),
        // 18 03 lists all codes that the ECU supports.
        Row("1803FF00", .iso14230, "58020133000201E0", ["stored P0201 status E0", "message"]),
        Row("1800FF00", .iso14230, "5800", []),
        Row("1800FF00", .iso14230, "58020133E0", ["stored P0133 status E0", "error"]),
        Row("1800FF00", .iso14230, "58", ["error"]),
    ])
    func `codes in lists of KWP have a status`(_ row: Row) {
        let asked = Asked(request: row.request, family: row.family, ecu: nil)
        #expect(decode(asked, row.answers) == row.expected)
    }

    // Layouts: ISO 14229-1. The first answers are those of a Ford and of a Renault Zoe.
    @Test(arguments: [
        Row(
            "19028F", .can, "5902CAE100000AE101000A9A89130A",
            [
                "stored U2100-00 status 0A", "stored U2101-00 status 0A",
                "stored B1A89-13 status 0A",
            ]),
        Row(
            "19023B", .can, "5902B9957C1429957D1429957E1429FFFFFFFFFF",
            [
                "stored B157C-14 status 29", "stored B157D-14 status 29",
                "stored B157E-14 status 29",
            ]),
        Row(
            "1902FF", .can, "5902FF01331C2FC1008704",
            [
                "stored P0133-1C status 2F", "pending U0100-87 status 04",
            ]),
        Row("1902FF", .can, "5902FF01331C27", ["pending P0133-1C status 27"]),
        // Status bits that the ECU does not support do not count.
        Row("1902FF", .can, "59020801331CFF", ["stored P0133-1C status 08"]),
        // The test of a code was not completed, so the code is no fault.
        Row("1902FF", .can, "5902FF03010050", ["message"]),
        Row("1902FF", .can, "5902FF03010010", ["message"]),
        Row("1902FF", .can, "5902FF03010000", ["message"]),
        Row("1902FF", .can, "59028D03010050", ["message"]),
        Row("1902FF", .can, "5902FF01331C2FC1008750", ["stored P0133-1C status 2F", "message"]),
        // Failed and not confirmed; where the warning light is on, or no code can be confirmed, it is stored.
        Row("1902FF", .can, "5902FF03010020", ["pending P0301-00 status 20"]),
        Row("1902FF", .can, "5902FF03010061", ["pending P0301-00 status 61"]),
        Row("1902FF", .can, "5902FF030100A0", ["stored P0301-00 status A0"]),
        Row("1902FF", .can, "5902F703010021", ["stored P0301-00 status 21"]),
        Row("1902FF", .can, "5902F703010024", ["pending P0301-00 status 24"]),
        // The ECU supports no status bit.
        Row("1902FF", .can, "59020003010050", ["stored P0301-00 status 00"]),
        Row("1902FF", .can, "5902FF", []),
        Row("1902FF", .can, "5902FF00000000", []),
        Row("1902FF", .can, "5902FF01331C2FFFFFFFFF", ["stored P0133-1C status 2F"]),
        Row("1902FF", .can, "5902FF01331C", ["error"]),
        Row("1902FF", .can, "5902FF01331C2F0123", ["stored P0133-1C status 2F", "error"]),
        Row("1902FF", .can, "5902", ["error"]),
        Row("1902FF", .can, "59", ["error"]),
        Row("1902FF", .can, "590AFF01331C2F", ["message"]),
        Row("190A", .can, "590AFF01331C2FC1008750", ["stored P0133-1C status 2F", "message"]),
        Row("1901FF", .can, "5901FF010002", ["message"]),
        Row("1903", .can, "590301331C01", ["message"]),
        // The mirror memory, a memory of the manufacturer, and codes that have a record of data.
        Row("190FFF", .can, "590FFF01331C2F", ["stored P0133-1C status 2F"]),
        Row("1917FF01", .can, "591701FF01331C24", ["pending P0133-1C status 24"]),
        Row("1917FF02", .can, "591701FF01331C2F", ["message"]),
        Row("1917FF01", .can, "591701", ["error"]),
        Row("191A01", .can, "591AFF0101331C2FC1008750", ["stored P0133-1C status 2F", "message"]),
        // Not codes of faults: how near each test is to a fault.
        Row("1914", .can, "591401331C05", ["message"]),
        Row("1915", .can, "5915FF01331C2F", ["permanent P0133-1C status 2F"]),
        Row("190880FF", .can, "5908FF200001331C2F", ["stored P0133-1C status 2F severity 20"]),
        // SAE J1979-2: 6 bytes and 5 per code, 5 and 4, 6 and 4.
        Row(
            "19423308FF", .can, "594233FFFF0420 01331C 08",
            [
                "stored P0133-1C status 08 severity 20"
            ]),
        Row(
            "19423304FF", .can, "594233FF000420 01331C 04",
            [
                "pending P0133-1C status 04 severity 00"
            ]),
        Row(
            "19423308FF", .can, "594233FFFF02 20 5B0002 08",
            [
                "stored SPN91/FMI2 status 08 severity 20 count 127"
            ]),
        Row("19423308FF", .can, "594233FFFF03 20 5B0002 08", ["message"]),
        Row("19423308FF", .can, "594233FF", ["error"]),
        Row("195533", .can, "595533FF04 01331C 08", ["permanent P0133-1C status 08"]),
        // Readiness groups (01 = catalyst): bit 4 is for the time since codes were cleared, bit 6
        // for this cycle.
        Row(
            "19563301", .can, "595633FF0401 042000 50",
            ["sinceClear catalyst incomplete", "thisCycle catalyst incomplete", "message"]),
        Row(
            "19563301", .can, "595633FF0401 042000 2F",
            [
                "sinceClear catalyst complete", "thisCycle catalyst complete",
                "stored P0420-00 status 2F",
            ]),
        Row(
            "19563304", .can, "595633FF0404 044200 40 045500 00",
            ["sinceClear evaporative complete", "thisCycle evaporative incomplete", "message"]),
        // Status bits that the ECU does not support give no result. An empty group means that the
        // monitor is not supported.
        Row(
            "19563303", .can, "5956339F0403 030000 50",
            ["sinceClear misfire incomplete", "message"]),
        Row(
            "19563314", .can, "595633FF0414",
            ["sinceClear pmFilter unsupported", "thisCycle pmFilter unsupported"]),
        Row("19563315", .can, "595633FF0415 042000 50", ["message"]),
        // The answer is for another readiness group, or for another functional group.
        Row("19563301", .can, "595633FF0402 042000 50", ["message"]),
        Row("19563301", .can, "5956D0FF0401 042000 50", ["message"]),
        Row("19423308FF", .can, "5942D0FFFF0420 01331C 08", ["message"]),
        Row("19563301", .can, "595633FF0401 042000", ["error"]),
        // Data that are stored with a code.
        Row("190401331CFF", .can, "590401331C2F", ["stored P0133-1C status 2F"]),
        Row(
            "190401331CFF", .can, "590401331C2F0101F40C1AF8",
            [
                "stored P0133-1C status 2F", "RPM=1726 frame 1 dtc P0133-1C",
            ]),
        Row(
            "190401331CFF", .can, "590401331C2F0102F40C1AF8F40D32",
            [
                "stored P0133-1C status 2F", "RPM=1726 frame 1 dtc P0133-1C",
                "VSS=50 frame 1 dtc P0133-1C",
            ]),
        Row(
            "190401331CFF", .can, "590401331C2F0101F40C1A",
            [
                "stored P0133-1C status 2F", "error",
            ]),
        Row(
            "190401331CFF", .can, "590401331C2F0101D00112",
            [
                "stored P0133-1C status 2F", "message",
            ]),
        // PID 06 has one or two bytes. Only with one byte do the records after it fit.
        Row(
            "190401331CFF", .can, "590401331C2F0103F40C1AF8F40680F40D32",
            [
                "stored P0133-1C status 2F", "RPM=1726 frame 1 dtc P0133-1C",
                "SHRTFT1=0 frame 1 dtc P0133-1C", "VSS=50 frame 1 dtc P0133-1C",
            ]),
        // Two records, one after the other.
        Row(
            "190401331CFF", .can, "590401331C2F0001F40D32F001F40D33",
            [
                "stored P0133-1C status 2F", "VSS=50 frame 0 dtc P0133-1C",
                "VSS=51 frame 240 dtc P0133-1C",
            ]),
        Row("190401331CFF", .can, "590402331C2F", ["message"]),
        // By the number of a record, and in a memory of the manufacturer.
        Row(
            "190501", .can, "59050101331C2F01F40D32",
            ["stored P0133-1C status 2F", "VSS=50 frame 1 dtc P0133-1C"]),
        Row("190502", .can, "59050101331C2F01F40D32", ["message"]),
        Row("190501", .can, "590501", ["message"]),
        Row("190501", .can, "59050101", ["error"]),
        Row(
            "191801331CFF01", .can, "59180101331C2F0201F40D32",
            ["stored P0133-1C status 2F", "VSS=50 frame 2 dtc P0133-1C"]),
        Row("191801331CFF02", .can, "59180101331C2F0201F40D32", ["message"]),
        Row(
            "191901331CFF01", .can, "59190101331C2F0105", ["stored P0133-1C status 2F", "message"]),
        Row("191001331CFF", .can, "591001331C2F0105", ["stored P0133-1C status 2F", "message"]),
        Row(
            "190601331CFF", .can, "590601331C2F01020304",
            [
                "stored P0133-1C status 2F", "message",
            ]),
        Row("190601331CFF", .can, "59060133", ["error"]),
    ])
    func `UDS reports carry failure type and status`(_ row: Row) {
        let asked = Asked(request: row.request, family: row.family)
        #expect(decode(asked, row.answers) == row.expected)
    }

    @Test(arguments: [
        Row("14FFFFFF", .can, "54", ["message"]),
        Row("1003", .can, "5003003201F4", ["message"]),
        Row("3E00", .can, "7E00", ["message"]),
        Row("2101", .can, "610100AABB", ["LOCAL=43707"]),
        Row("2101", .can, "6101", ["error"]),
        Row("2101", .can, "610100AA", ["error"]),
        Row("2102", .can, "610200AABB", ["message"]),
        Row("1A90", .iso14230, "5A9031", ["message"]),
    ])
    func `answers of other services follow the table or stay messages`(_ row: Row) {
        let asked = Asked(request: row.request, family: row.family)
        #expect(decode(asked, row.answers) == row.expected)
    }
}

@Suite struct `SAE J1939` {
    private func decode(
        _ group: UInt32?, _ payload: String, request: [UInt8]? = nil
    ) -> [DiagnosticItem] {
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        var items: [DiagnosticItem] = []
        decoder.decode(
            ECUMessage(
                ecu: ECUAddress(0x27, .byte), payload: Hex.bytes(payload) ?? [],
                parameterGroup: group),
            in: Exchange(request: request, vehicleProtocol: .j1939), &items)
        return items
    }

    // Answers of two heavy-duty trucks to DM12 and DM2, decoded by the J1939-84 test tool, and
    // layouts of SAE J1939-73.
    @Test(
        arguments: [
            (0xFED4, "43FF5B000202FFFF", ["stored SPN91/FMI2 count 2"]),
            (0xFED4, "47FFA8000101FFFF", ["stored SPN168/FMI1 count 1"]),
            (0xFECB, "00FF0A080E07FFFF", ["stored SPN2058/FMI14 count 7"]),
            (0xFED4, "00FF00000000FFFF", []),
            (
                0xFECA, "04FF5B000202A8000101",
                ["stored SPN91/FMI2 count 2", "stored SPN168/FMI1 count 1"]
            ),
            (0xFECF, "04FF5B00E202FFFF", ["pending SPN458843/FMI2 count 2"]),
            // A lamp is on, but there is no code.
            (0xFECA, "04FFFFFFFFFFFFFF", ["message"]), (0xFECA, "00FFFFFFFFFFFFFF", []),
            (0xFECA, "04FF5B0002", ["error"]),
            (0xFECA, "04FF5B000202A80001", ["stored SPN91/FMI2 count 2", "error"]),
            (0xF004, "FFFFFF6813FFFFFF", ["ENG_SPEED=621"]),
            // Nobody asked, so a short message has the parameters that are wholly inside.
            (0xF004, "FFFFFF6813", ["ENG_SPEED=621"]), (0xF004, "FFFFFF68", []),
            (0xFEF1, "FFFFFF6813FFFFFF", ["message"]),
            (0xE800, "01FFFFFFD4FE00FF", ["message"]),
        ] as [(UInt32, String, [String])])
    func `diagnostic messages and parameter groups are decoded`(
        group: UInt32, payload: String, expected: [String]
    ) {
        #expect(decode(group, payload).map(short) == expected)
    }

    @Test func `a code of SAE J1939 has the lamps of its message`() {
        guard case .code(let report)? = decode(0xFED4, "47FFA8000101FFFF").first else {
            Issue.record("no code")
            return
        }
        // 47 = 01 00 01 11: MIL on, red off, amber on, protect not available.
        #expect(
            report.lamps
                == CodeReport.Lamps(
                    malfunction: true, redStop: false, amberWarning: true, protect: nil))
    }

    @Test func `a broadcast message is not an answer to a request for another group`() {
        let codes = "43FF5B000202FFFF"
        #expect(decode(0xFECA, codes, request: [0x00, 0xFE, 0xCB]).map(short) == ["message"])
        #expect(decode(0xFECB, codes, request: [0x00, 0xFE, 0xCB]).count == 1)
        #expect(
            decode(0xFECB, codes, request: [0xCB, 0xFE, 0x00]).map(short) == [
                "stored SPN91/FMI2 count 2"
            ])
        #expect(decode(nil, codes).map(short) == ["message"])
    }
}
