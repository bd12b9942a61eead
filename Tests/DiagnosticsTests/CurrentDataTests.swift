import Diagnostics
import OBDCore
import Testing

@Suite struct `Services 01 and 02` {
    // The values are the examples of SAE J1979 and of the ELM327 data sheet. The others were
    // calculated by hand with their formulas.
    @Test(arguments: [
        Pair("010C", "410C1AF8", ["RPM=1726"]),
        Pair("0105", "41057B", ["ECT=83"]),
        Pair("0132", "4132FFFC", ["EVAP_VP=-1"]),
        Pair("0132", "41328000", ["EVAP_VP=-8192"]),
        Pair("0106", "410600", ["SHRTFT1=-100"]),
        Pair("0124", "4124FFFFFFFF", ["LAMBDA11=1.999969482421875", "O2S11V=7.9998779296875"]),
        Pair("0134", "413480008000", ["LAMBDA11W=1", "O2S11I=0"]),
        // Records in any order, and some missing.
        Pair("010C0D05", "41050D0C", ["error"]),
        Pair("010C0D05", "41057B0C1AF80D32", ["ECT=83", "RPM=1726", "VSS=50"]),
        Pair("010C0D05", "410D32", ["VSS=50"]),
        // Several support maps in one answer.
        Pair(
            "0100", "4100BE3EB811",
            [
                "PIDSUP_00=01 03 04 05 06 07 0B 0C 0D 0E 0F 11 13 14 15 1C 20"
            ]),
        Pair("01002040", "4100800000012080000000", ["PIDSUP_00=01 20", "PIDSUP_20=21"]),
        // Enumerations, flags, codes that are not defined.
        Pair("0103", "41030200", ["FUELSYSA=code 2", "FUELSYSB=code 0"]),
        Pair("0103", "41032000", ["FUELSYSA=undefined 32", "FUELSYSB=code 0"]),
        Pair(
            "0166", "4166010C800000",
            [
                "MAFB_SUP=no", "MAFA_SUP=yes", "MAFA=100", "MAFB=notSupported",
            ]),
        Pair("0102", "41020000", ["DTCFRZF=notAvailable"]),
        Pair("0102", "41020133", ["DTCFRZF=P0133"]),
    ])
    func `a record becomes readings in bit order`(_ row: Pair) {
        #expect(decode(Asked(request: row.request), [row.answer]) == row.expected)
    }

    @Test(arguments: [
        // Too short.
        Pair("010C", "410C1A", ["error"]),
        Pair("010C", "410C", ["error"]),
        Pair("010C", "41", ["error"]),
        Pair("010C", "", ["error"]),
        Pair("010C0D", "410D320C1A", ["error"]),
        Pair("010C0D", "410D320C", ["error"]),
        // Too long.
        Pair("010C", "410C1AF81234", ["error"]),
        Pair("010C", "410C1AF812", ["error"]),
        Pair(nil, "410C1AF8F112", ["error"]),
        // Padding: one byte repeated, at most seven.
        Pair("010C", "410C1AF8000000", ["RPM=1726"]),
        Pair("010C", "410C1AF8555555", ["RPM=1726"]),
        Pair("010C", "410C1AF8AAAAAA", ["RPM=1726"]),
        Pair("010C", "410C1AF8AAAA", ["RPM=1726"]),
        Pair("010C", "410C1AF800", ["RPM=1726"]),
        Pair("010D", "410D3200000000", ["VSS=50"]),
        Pair(nil, "410C1AF8AAAAAA", ["RPM=1726"]),
        Pair(nil, "410C1AF8000000", ["RPM=1726"]),
        // A byte is missing in a batch (of 41 05 15 11 9A, and of 41 05 7B 0C 1A F8 0D 20). The
        // records before the end may be split wrongly, too, so none of them counts.
        Pair("010511", "4105119A", ["error"]),
        Pair("01050C0D", "41050C1AF80D20", ["error"]),
        Pair("020C000D00", "420C001A0D0020", ["error"]),
        Pair("22F405F40C", "62F405F40C1AF8", ["error"]),
        // Each record comes with its service, as from a clone on a Mazda CX-5.
        Pair("010C0D05", "410C0A98410D00410584", ["RPM=678", "VSS=0", "ECT=92"]),
        Pair("010C0D05", "410C0A98410D0041058400000000", ["RPM=678", "VSS=0", "ECT=92"]),
        Pair("010C0D05", "410C0A98410D00410B84", ["error"]),
        // The filler is also the number of a requested PID. So it is a record that is cut.
        Pair("010CAA", "410C1AF8AA", ["error"]),
        Pair("010CAA", "410C1AF8AA64", ["RPM=1726", "SPEED_LIMIT=100"]),
    ])
    func `bytes that are not a whole record are an error, unless they are padding`(_ row: Pair) {
        #expect(decode(Asked(request: row.request), [row.answer]) == row.expected)
    }

    @Test(arguments: [
        Pair("010C", "410D32", ["message"]),
        Pair("010C", "430133", ["message"]),
        Pair("010C", "620C1AF8", ["message"]),
        Pair("01F1", "41F11234", ["message"]),
        Pair(nil, "41F11234", ["message"]),
        Pair("010C", "410C1AF80D32", ["RPM=1726", "message"]),
        Pair("010CF1", "410C1AF8F11234", ["RPM=1726", "message"]),
        // An answer of an ECU always has bit 6 set.
        Pair("010C", "0000", ["error"]),
        Pair("020C00", "420C011AF8", ["message"]),
        Pair("020C00", "420D0032", ["message"]),
        Pair("04", "44", ["message"]),
        Pair("0801", "4801000000000000", ["message"]),
    ])
    func `an answer that was not requested stays a message`(_ row: Pair) {
        #expect(decode(Asked(request: row.request), [row.answer]) == row.expected)
    }

    // PIDs 06–09 and 55–58 have one byte, or two on engines with banks 3 and 4 (SAE J1979-DA).
    @Test(arguments: [
        Pair("0106", "410680", ["SHRTFT1=0"]),
        Pair("0106", "41068040", ["SHRTFT1=0", "SHRTFT3=-50"]),
        Pair(nil, "41068040", ["SHRTFT1=0", "SHRTFT3=-50"]),
        Pair("0106070C", "410680070C0C1AF8", ["SHRTFT1=0", "LONGFT1=-90.625", "RPM=1726"]),
        Pair(
            "0106070C", "41068040074020",
            [
                "SHRTFT1=0", "SHRTFT3=-50", "LONGFT1=-50", "LONGFT3=-75",
            ]),
        Pair("01060C", "4106800C1AF8", ["SHRTFT1=0", "RPM=1726"]),
        // Two bytes of padding, or one byte of value and one of padding: report only the value that
        // is certain.
        Pair("0106", "4106800000", ["SHRTFT1=0"]),
        Pair("0106", "410680400000", ["SHRTFT1=0", "SHRTFT3=-50"]),
        // Zeros at the end are not padding if a record lacks exactly these bytes.
        Pair(
            "010655AA0C", "41558080AA6406000C1AF8",
            [
                "STSO2FT1=0", "STSO2FT3=128", "SPEED_LIMIT=100", "SHRTFT1=-100", "RPM=1726",
            ]),
        Pair(
            "010655AA", "41558080AA64060000",
            [
                "STSO2FT1=0", "STSO2FT3=128", "SPEED_LIMIT=100", "SHRTFT1=-100", "SHRTFT3=-100",
            ]),
        // The second byte could be the start of PID 0C.
        Pair("01060C", "4106800C", ["error"]),
        Pair("01060C", "4106800C1A", ["error"]),
        Pair("0106", "41068040201000", ["error"]),
    ])
    func `a record of varying length has the length that fits`(_ row: Pair) {
        #expect(decode(Asked(request: row.request), [row.answer]) == row.expected)
    }

    // The bits are those of PID 01 in SAE J1979-DA. The first row is 81 07 65 04 from the ELM327
    // data sheet.
    @Test func `readiness of a spark ignition engine is read`() {
        #expect(
            decode(Asked(request: "0101"), ["410181076504"]) == [
                "MIL=yes", "DTC_CNT=1", "sinceClear misfire complete",
                "sinceClear fuelSystem complete", "sinceClear components complete",
                "sinceClear catalyst complete", "sinceClear heatedCatalyst unsupported",
                "sinceClear evaporative incomplete", "sinceClear secondaryAir unsupported",
                "sinceClear gpfOrACRefrigerant unsupported", "sinceClear oxygenSensor complete",
                "sinceClear oxygenSensorHeater complete", "sinceClear egrVvt unsupported",
            ])
    }

    @Test func `readiness of a compression ignition engine is read`() {
        #expect(
            decode(Asked(request: "0141"), ["4141006EEBA0"]) == [
                "thisCycle misfire unsupported", "thisCycle fuelSystem incomplete",
                "thisCycle components incomplete", "thisCycle nmhcCatalyst complete",
                "thisCycle noxSCR complete", "thisCycle boostPressure complete",
                "thisCycle exhaustGasSensor incomplete", "thisCycle pmFilter complete",
                "thisCycle egrVvt incomplete",
            ])
    }

    @Test func `a freeze frame has its code after the ECU reported the code`() {
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        let other = ECUAddress(0x7E9, .can11)
        #expect(
            decode(Asked(request: "020C00"), ["420C001AF8"], by: &decoder) == [
                "RPM=1726 frame 0"
            ])
        #expect(
            decode(Asked(request: "020200"), ["4202000133"], by: &decoder) == [
                "DTCFRZF=P0133 frame 0"
            ])
        #expect(
            decode(Asked(request: "020C00"), ["420C001AF8"], by: &decoder) == [
                "RPM=1726 frame 0 dtc P0133"
            ])
        #expect(
            decode(Asked(request: "020C01"), ["420C011AF8"], by: &decoder) == [
                "RPM=1726 frame 1"
            ])
        #expect(
            decode(Asked(request: "020C00", ecu: other), ["420C001AF8"], by: &decoder) == [
                "RPM=1726 frame 0"
            ])
        #expect(decode(Asked(request: "04"), ["44"], by: &decoder) == ["message"])
        #expect(
            decode(Asked(request: "020C00"), ["420C001AF8"], by: &decoder) == [
                "RPM=1726 frame 0"
            ])
    }

    @Test(arguments: [
        Pair("020200", "4202000000", ["DTCFRZF=notAvailable frame 0"]),
        Pair("020000", "42000080000000", ["PIDSUP_00=01 frame 0"]),
        // Three pairs. The code applies to the values before it.
        Pair(
            "020C000D000200", "420C001AF80D00320200C123",
            [
                "RPM=1726 frame 0 dtc U0123", "VSS=50 frame 0 dtc U0123", "DTCFRZF=U0123 frame 0",
            ]),
        // The frame number is missing.
        Pair("020C00", "420C1AF8", ["error"]),
        Pair("020D00", "420D32", ["error"]),
        Pair(nil, "420D32", ["error"]),
        // A request without a frame number accepts any.
        Pair("020C", "420C001AF8", ["RPM=1726 frame 0"]),
        Pair("020600", "42060080", ["SHRTFT1=0 frame 0"]),
    ])
    func `readings of freeze frames have the number of the frame`(_ row: Pair) {
        #expect(decode(Asked(request: row.request), [row.answer]) == row.expected)
    }

    @Test func `the code of a freeze frame is unknown if answers have no address`() {
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        _ = decode(
            Asked(request: "020200", ecu: nil), ["4202000133", "4202000301"], by: &decoder)
        #expect(
            decode(Asked(request: "020D00", ecu: nil), ["420D0032"], by: &decoder) == [
                "VSS=50 frame 0"
            ])
    }

    // SAE J1979-DA: PID 4F.A replaces the 2 of lambda, .B the 8 V, .C the 128 mA, .D × 10 the 255
    // kPa. PID 50.A × 10 replaces 655.35 g/s. The values were calculated by hand.
    @Test func `reported ranges apply only to their ECU`() {
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        let other = Asked(request: "010B", ecu: ECUAddress(0x7E9, .can11))
        #expect(decode(Asked(request: "010B"), ["410BFF"], by: &decoder) == ["MAP=255"])
        #expect(
            decode(Asked(request: "014F"), ["414F04100033"], by: &decoder) == [
                "MAX_LAMBDA=4", "MAX_O2V=16", "MAX_O2I=0", "MAX_MAP=510",
            ])
        #expect(decode(Asked(request: "010B"), ["410BFF"], by: &decoder) == ["MAP=510"])
        #expect(decode(other, ["410BFF"], by: &decoder) == ["MAP=255"])
        #expect(
            decode(Asked(request: "0124"), ["4124FFFFFFFF"], by: &decoder) == [
                "LAMBDA11=4", "O2S11V=16",
            ])
        #expect(
            decode(Asked(request: "0134"), ["4134FFFF8000"], by: &decoder) == [
                "LAMBDA11W=4", "O2S11I=0",
            ])
        #expect(
            decode(Asked(request: "020B00"), ["420B00FF"], by: &decoder) == ["MAP=510 frame 0"])
        #expect(
            decode(Asked(request: "0150"), ["415050000000"], by: &decoder) == ["MAX_MAF=800"])
        #expect(decode(Asked(request: "0110"), ["4110FFFF"], by: &decoder) == ["MAF=800"])
    }

    /// Every PID whose range 4F or 50 can replace, and one whose range they cannot.
    @Test(
        arguments: [
            ("4124FFFFFFFF", "LAMBDA11=4", 0x4F), ("4134FFFF8000", "LAMBDA11W=4", 0x4F),
            ("4144FFFF", "LAMBDA=4", 0x4F), ("410BFF", "MAP=510", 0x4F),
            ("4110FFFF", "MAF=800", 0x50), ("410C1AF8", "RPM=1726", nil),
        ] as [(String, String, UInt32?)])
    func `a value has no range if ECUs without addresses report different ranges`(
        answer: String, value: String, pid: UInt32?
    ) {
        let announced = ["014F": "414F04100033", "0150": "415050000000"]
        let request = "01" + answer.dropFirst(2).prefix(2)
        for (question, range) in announced {
            var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
            for (question, range) in announced {
                _ = decode(Asked(request: question, ecu: nil), [range], by: &decoder)
            }
            // One answer without an address: its range applies.
            #expect(
                decode(Asked(request: request, ecu: nil), [answer], by: &decoder).first == value)
            _ = decode(
                Asked(request: question, ecu: nil),
                [
                    range,
                    question.replacing("01", with: "41")
                        + "00000000",
                ], by: &decoder)
            let isHidden = pid.map { question.hasSuffix(Hex.string($0, digits: 2)) } ?? false
            #expect(
                decode(Asked(request: request, ecu: nil), [answer], by: &decoder).first
                    == (isHidden ? "message" : value), "\(question)")
            let frozen = "42" + answer.dropFirst(2).prefix(2) + "00" + answer.dropFirst(4)
            #expect(
                decode(
                    Asked(request: "02" + request.dropFirst(2) + "00", ecu: nil), [frozen],
                    by: &decoder
                ).first == (isHidden ? "message" : value + " frame 0"), "\(question)")
            // An ECU with an address has its own ranges.
            #expect(
                decode(Asked(request: request), [answer], by: &decoder).contains("message")
                    == false)
        }
    }

    @Test func `a reported range also applies to earlier records of the same answer`() {
        #expect(
            decode(Asked(request: "010B4F"), ["410BFF4F00000033"]) == [
                "MAP=510", "MAX_LAMBDA=0", "MAX_O2V=0", "MAX_O2I=0", "MAX_MAP=510",
            ])
    }

    /// If records come in the order of the request, the decoder does not search for the start of
    /// each.
    @Test(arguments: [
        Pair("010C0D05", "410C1AF80D32057B", ["RPM=1726", "VSS=50", "ECT=83"]),
        Pair("01050D0C", "410C1AF80D32057B", ["RPM=1726", "VSS=50", "ECT=83"]),
        Pair("010C0D05", "410C1AF80D3205", ["error"]),
        Pair("010C0D05", "410C1AF80D32", ["RPM=1726", "VSS=50"]),
        Pair("010C0D", "410C1AF80D320000", ["RPM=1726", "VSS=50"]),
        Pair("010C0D", "410C1AF80D3201", ["error"]),
        Pair("010C0C", "410C1AF80C1AF8", ["RPM=1726", "RPM=1726"]),
    ])
    func `records are read in any order, and each ends where its length says`(_ row: Pair) {
        #expect(decode(Asked(request: row.request), [row.answer]) == row.expected)
    }

    @Test func `the raw bytes of a reading are only those of its record`() {
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        var items: [DiagnosticItem] = []
        decoder.decode(
            ECUMessage(ecu: nil, payload: [0x42, 0x0C, 0x00, 0x1A, 0xF8], line: 7),
            in: Exchange(request: [0x02, 0x0C, 0x00], family: .can), &items)
        guard case .reading(let reading)? = items.first, items.count == 1 else {
            Issue.record("no reading")
            return
        }
        #expect(reading.raw == [0x1A, 0xF8])
        #expect(reading.line == 7)
        #expect(reading.dataID == DataID(.freezeFrame, 0x0C))
        #expect(reading.ecu == nil)
    }

    @Test(arguments: [
        Pair("010C", "7F0112", ["refused 01 12"]),
        Pair("03", "7F0378", ["refused 03 78"]),
        Pair("010C", "7F1012", ["refused 10 12"]),
        Pair("010C", "7F011200000000", ["refused 01 12"]),
        Pair("010C", "7F01", ["error"]),
        Pair("010C", "7F", ["error"]),
        Pair("010C", "7F01123456", ["refused 01 12", "error"]),
    ])
    func `a refusal by an ECU is recognised after any request`(_ row: Pair) {
        #expect(decode(Asked(request: row.request), [row.answer]) == row.expected)
    }
}
