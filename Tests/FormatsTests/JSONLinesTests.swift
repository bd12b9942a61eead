import Diagnostics
import Foundation
import OBDCore
import Testing

@testable import Formats

@Suite struct JSONLinesTests {
    /// The object of `item` without its line end.
    ///
    /// The line end must be there.
    private func line(
        _ item: DiagnosticItem, time: UTC? = nil, units: UnitSystem = .metric,
        texts: [String: String] = [:]
    ) -> String {
        let rows = ItemRows(table: Fixtures.table, units: units) {
            CodeFacts(text: texts[$0.code.text], driveOn: texts.isEmpty ? nil : .soon)
        }
        let text = Fixtures.text { rows.row(item, time: time).appendJSON(to: &$0) }
        #expect(text.last == "\n" && !text.dropLast().contains("\n"))
        if case .reading(let reading) = item {
            // The fast writer for many readings must write the same.
            var writer = JSONLines(table: Fixtures.table, units: units)
            #expect(Fixtures.text { writer.append(reading, time: time, to: &$0) } == text)
        }
        return String(text.dropLast())
    }

    @Test func `a reading has the documented keys`() {
        #expect(
            line(.reading(Fixtures.rpm), time: Fixtures.time) == #"""
                {"kind":"reading","time":"2026-11-21T08:15:02.123456Z","ecu":"7E8","service":"01",\#
                "pid":"0C","frame":null,"dtc":null,"signal":"RPM","name":"Engine speed",\#
                "value":1726,"unit":"rpm","code":null,"status":null,"checkDigit":null,"raw":"1AF8"}
                """#)
    }

    @Test func `an unknown value of a reading is null, not absent`() {
        var reading = Fixtures.rpm
        reading.ecu = nil
        #expect(
            line(.reading(reading)) == #"""
                {"kind":"reading","time":null,"ecu":null,"service":"01","pid":"0C","frame":null,\#
                "dtc":null,"signal":"RPM","name":"Engine speed","value":1726,"unit":"rpm",\#
                "code":null,"status":null,"checkDigit":null,"raw":"1AF8"}
                """#)
    }

    static let values: [(Fixtures.Place, UInt32, Reading.Value, InlineBytes, String)] = [
        (
            .mil, 0x01, .flag(true), [0x81],
            #""value":true,"unit":null,"code":null,"status":null,"checkDigit":null,"raw":"81""#
        ),
        (
            .fuelType, 0x51, .label(code: 1), [1],
            #""value":"gasoline","unit":null,"code":1,"status":null"#
        ),
        (
            .rpm, 0x0C, .missing(.notSupported, code: nil), [0, 0],
            #""value":null,"unit":"rpm","code":null,"status":"notSupported""#
        ),
        (
            .fuelType, 0x51, .missing(.undefined, code: 200), [200],
            #""value":null,"unit":null,"code":200,"status":"undefined""#
        ),
        // BE3EB811 is the map in the example of the ELM327 data sheet.
        (
            .support, 0x00, .supportMap(raw: 0xBE3E_B811), [0xBE, 0x3E, 0xB8, 0x11],
            #""value":"01 03 04 05 06 07 0B 0C 0D 0E 0F 11 13 14 15 1C 20","unit":null,"code":3191781393,"#
        ),
        (.support, 0x00, .supportMap(raw: 0), [0, 0, 0, 0], #""value":"","unit":null,"code":0,"#),
        (.rpm, 0x0C, .number(-0.25), [0], #""value":-0.25,"#),
        (.rpm, 0x0C, .number(.infinity), [0], #""value":null,"#),
    ]

    @Test(arguments: values.indices) func `each kind of value has its form in JSON`(_ index: Int) {
        let (place, pid, value, raw, expected) = Self.values[index]
        let reading = Fixtures.reading(place, DataID(.currentData, pid), value, raw)
        let text = line(.reading(reading))
        #expect(text.contains(expected), "\(text)")
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
    }

    @Test func `the identifiers in a support map depend on its record`() {
        #expect(ReadingText.supportMap(0x8000_0001, base: 0x20) == "21 40")
        #expect(ReadingText.supportMap(0x8000_0001, base: 0xE0) == "E1 00")
    }

    @Test func `freeze frames, VINs and identifiers of four digits have their own keys`() {
        var frozen = Fixtures.reading(
            .rpm, DataID(.freezeFrame, 0x0C), .number(1726), [0x1A, 0xF8])
        frozen.frame = 0
        frozen.dtc = DTC("P0301")
        #expect(
            line(.reading(frozen)).contains(
                #""service":"02","pid":"0C","frame":0,"dtc":"P0301","signal":"RPM","#))
        var vin = Fixtures.reading(
            .vin, DataID(.vehicleInformation, 0x02), .text("1HGCM82633A004352"),
            InlineBytes("1HGCM82633A004352".utf8))
        vin.checkDigit = true
        #expect(
            line(.reading(vin)).contains(
                #""value":"1HGCM82633A004352","unit":null,"code":null,"status":null,"checkDigit":true,"#
            ))
        let did = Fixtures.reading(.rpm, DataID(.readData, 0xF40C), .number(1), [0, 4])
        #expect(line(.reading(did)).contains(#""service":"22","pid":"F40C","#))
        let group = Fixtures.reading(
            .rpm, DataID(DataID.parameterGroups, 0xF004), .number(1), [0, 4],
            ecu: ECUAddress(0x18F0_0400, .can29))
        #expect(
            line(.reading(group)).contains(#""ecu":"18F00400","service":"FE","pid":"00F004","#))
    }

    @Test func `the voltage at the adapter is a reading without service and PID`() {
        let text = Fixtures.text {
            ItemRows.row(voltage: 12.3, time: nil).appendJSON(to: &$0)
        }
        #expect(
            text == #"""
                {"kind":"reading","time":null,"ecu":null,"service":null,"pid":null,"frame":null,\#
                "dtc":null,"signal":"ADAPTER_VOLTAGE","name":"Voltage at the adapter",\#
                "value":12.3,"unit":"V","code":null,"status":null,"checkDigit":null,"raw":null}

                """#)
    }

    @Test func `a refusal names the service and the reason`() {
        let refusal = NegativeResponse(service: .permanentCodes, nrc: NRC(0x11))
        #expect(
            line(.negativeResponse(refusal, ecu: Fixtures.ecu, line: 2)) == #"""
                {"kind":"negativeResponse","time":null,"ecu":"7E8","service":"0A","nrc":"11",\#
                "name":"serviceNotSupported"}
                """#)
    }

    @Test func `codes carry their text, failure type, status and lamps, if known`() {
        let stored = CodeReport(
            ecu: Fixtures.ecu, kind: .stored, code: .dtc(DTC(0x0301)), line: 0)
        #expect(
            line(.code(stored), texts: ["P0301": "Cylinder 1 misfire detected"]) == #"""
                {"kind":"code","time":null,"ecu":"7E8","status":"stored","code":"P0301",\#
                "description":"Cylinder 1 misfire detected","failureType":null,\#
                "statusByte":null,"driveOn":"soon","active":null,"severity":null,\#
                "occurrences":null,"conversionMethod":null,"lamps":null}
                """#)
        var uds = CodeReport(
            ecu: Fixtures.ecu, kind: .pending, code: .dtc(DTC(0x0301, failureType: 0x11)), line: 0)
        uds.statusByte = 0x2F
        #expect(
            line(.code(uds), time: Fixtures.time) == #"""
                {"kind":"code","time":"2026-11-21T08:15:02.123456Z","ecu":"7E8",\#
                "status":"pending","code":"P0301","description":null,"failureType":"11",\#
                "statusByte":"2F","driveOn":null,"active":null,"severity":null,\#
                "occurrences":null,"conversionMethod":null,"lamps":null}
                """#)
        var heavy = CodeReport(
            ecu: ECUAddress(0x18FE_CA00, .can29), kind: .stored,
            code: .j1939(
                J1939Code(spn: 609, fmi: 19, occurrenceCount: 3, conversionMethod: false)),
            line: 0)
        heavy.lamps = .init(malfunction: true, redStop: false, amberWarning: nil, protect: false)
        #expect(
            line(.code(heavy)) == #"""
                {"kind":"code","time":null,"ecu":"18FECA00","status":"stored",\#
                "code":"SPN609/FMI19","description":null,"failureType":null,"statusByte":null,\#
                "driveOn":null,"active":null,"severity":null,"occurrences":3,\#
                "conversionMethod":null,"lamps":{"malfunction":true,"redStop":false,\#
                "amberWarning":null,"protect":false}}
                """#)
    }

    @Test func `monitors and their results have the documented keys`() {
        let monitor = MonitorStatus(
            ecu: Fixtures.ecu, scope: .sinceClear, monitor: .catalyst, supported: true,
            complete: false, line: 0)
        #expect(
            line(.monitor(monitor)) == #"""
                {"kind":"monitor","time":null,"ecu":"7E8","scope":"sinceClear",\#
                "monitor":"catalyst","supported":true,"complete":false}
                """#)
        var result = MonitorTestResult(ecu: Fixtures.ecu, tid: 1, raw: [], line: 0)
        result.mid = 1
        result.monitor = "Oxygen sensor B1S1"
        result.uas = 0x0A
        (result.value, result.min, result.max) = (365.2, 300, 700)
        (result.unit, result.passed) = ("mV", true)
        #expect(
            line(.monitorTest(result)) == #"""
                {"kind":"monitorTest","time":null,"ecu":"7E8","mid":"01",\#
                "monitor":"Oxygen sensor B1S1","tid":"01","component":null,"test":null,\#
                "uas":"0A","value":365.2,"min":300,"max":700,"unit":"mV","passed":true,\#
                "hasMin":true,"hasMax":true}
                """#)
        // A count of misfires, whose limits are the ends of the range (SAE J1979).
        result.raw = [0xA2, 0x0B, 0x24, 0x00, 0x6B, 0x00, 0x00, 0xFF, 0xFF]
        result.uas = 0x24
        #expect(line(.monitorTest(result)).hasSuffix(#""hasMin":false,"hasMax":false}"#))
        var legacy = MonitorTestResult(
            ecu: ECUAddress(0x10, .byte), tid: 5, raw: [], line: 0)
        legacy.component = 0x11
        legacy.value = 100
        #expect(
            line(.monitorTest(legacy)) == #"""
                {"kind":"monitorTest","time":null,"ecu":"10","mid":null,"monitor":null,\#
                "tid":"05","component":"11","test":null,"uas":null,"value":100,"min":null,\#
                "max":null,"unit":null,"passed":null,"hasMin":false,"hasMax":false}
                """#)
    }

    @Test func `messages name the ECU that answered`() {
        let message = ECUMessage(ecu: Fixtures.ecu, payload: [0x49, 0x02, 0x01])
        #expect(
            line(.message(message))
                == #"{"kind":"message","time":null,"ecu":"7E8","service":"09","pgn":null,"#
                + #""payload":"490201"}"#)
        let refusal = ECUMessage(ecu: nil, payload: [0x7F, 0x0A, 0x11])
        #expect(line(.message(refusal)).contains(#""ecu":null,"service":"0A""#))
        let request = ECUMessage(ecu: nil, payload: [0x01, 0x0C])
        #expect(line(.message(request)).contains(#""service":null"#))
        let group = ECUMessage(ecu: nil, payload: [0x7F, 1], parameterGroup: 0xFECA)
        #expect(line(.message(group)).contains(#""service":null,"pgn":"00FECA","payload":"7F01""#))
    }

    @Test func `statuses, frames and faults have the documented keys`() {
        #expect(
            Fixtures.text {
                ItemRows.adapterStatus("noData", text: "NO DATA", time: nil).appendJSON(to: &$0)
            } == #"{"kind":"adapterStatus","time":null,"status":"noData","text":"NO DATA"}"# + "\n")
        #expect(
            Fixtures.text {
                ItemRows.frame(id: Fixtures.ecu, data: [0x03, 0x41], time: nil).appendJSON(to: &$0)
            } == #"{"kind":"frame","time":null,"id":"7E8","data":"0341"}"# + "\n")
        #expect(
            Fixtures.text {
                ItemRows.error("consecutive frame 3 after 1", text: "7E8 23 \u{1}")
                    .appendJSON(to: &$0)
            } == #"{"kind":"error","time":null,"ecu":null,"reason":"consecutive frame 3 after 1","#
                + #""text":"7E8 23 \u0001"}"# + "\n")
    }

    @Test func `a signal that is in no table is left out`() {
        var reading = Fixtures.rpm
        for place: Int32 in [-1, 6, .max] {
            reading.signal = SignalIndex(rawValue: place)
            var writer = JSONLines(table: Fixtures.table)
            #expect(Fixtures.text { writer.append(reading, time: nil, to: &$0) } == "")
        }
    }

    @Test func `the unit option changes units, not flags and labels`() {
        let reading = Fixtures.reading(.coolant, DataID(.currentData, 5), .number(100), [140])
        #expect(line(.reading(reading), units: .us).contains(#""value":212,"unit":"°F""#))
        #expect(line(.reading(Fixtures.rpm), units: .us).contains(#""value":1726,"unit":"rpm""#))
    }

    @Test func `a row is one JSON object, or one line of CSV`() {
        let row = Row(
            "trip",
            [
                "id": .integer(12), "vin": .text(nil), "start": .time(Fixtures.time),
                "seconds": .number(1834.2), "open": .flag(false), "tags": .texts(["a", "b\""]),
                "roundTrip": .object(["p50": .number(0.0161)]),
            ])
        #expect(
            Fixtures.text { row.appendJSON(to: &$0) } == #"""
                {"kind":"trip","id":12,"vin":null,"start":"2026-11-21T08:15:02.123456Z",\#
                "seconds":1834.2,"open":false,"tags":["a","b\""],"roundTrip":{"p50":0.0161}}

                """#)
        #expect(
            Fixtures.text { row.append(.csv, to: &$0) }
                == "id,vin,start,seconds,open,tags,roundTrip\r\n"
                + #"12,,2026-11-21T08:15:02.123456Z,1834.2,false,"a; b""","{""p50"":0.0161}""#
                + "\r\n")
    }
}
