import Diagnostics
import OBDCore
import Testing

/// Rows of SAE J1979-DA for the tests, typed by hand from the standard's formulas.
enum TestTable {
    static let pids: PIDTable = {
        var table = PIDTable()
        for base in stride(from: UInt32(0), through: 0xE0, by: 0x20) {
            table.add(
                DataID(.currentData, base), name: "map", length: 4...4,
                signals: [map("PIDSUP_\(Hex.string(base, digits: 2))")])
            table.add(
                DataID(.monitorTests, base), name: "map", length: 4...4,
                signals: [
                    map("MIDSUP_\(Hex.string(base, digits: 2))"),
                    map("TIDSUP_\(Hex.string(base, digits: 2))"),
                ])
            table.add(
                DataID(.vehicleInformation, base), name: "map", length: 4...4,
                signals: [map("ITSUP_\(Hex.string(base, digits: 2))")])
        }
        addCurrentData(&table)
        addInformation(&table)
        return table
    }()

    private static func map(_ id: String) -> Signal {
        Signal(id: id, name: id, bitOffset: 0, bitLength: 32, kind: .supportMap)
    }

    private static func number(
        _ id: String, _ offset: Int, _ length: Int, _ multiplier: Double = 1,
        _ divisor: Double = 1, _ add: Double = 0, signed: Bool = false, unit: String = ""
    ) -> Signal {
        Signal(
            id: id, name: id, bitOffset: offset, bitLength: length, kind: .number,
            isSigned: signed, multiplier: multiplier, divisor: divisor, offset: add, unit: unit)
    }

    private static func flag(_ id: String, _ offset: Int) -> Signal {
        Signal(id: id, name: id, bitOffset: offset, bitLength: 1, kind: .flag)
    }

    private static func addCurrentData(_ table: inout PIDTable) {
        func add(_ pid: UInt32, _ length: ClosedRange<Int>, _ signals: [Signal]) {
            table.add(DataID(.currentData, pid), name: "", length: length, signals: signals)
        }
        let status = [flag("MIL", 0), number("DTC_CNT", 1, 7), flag("MIS_SUP", 15)]
        add(0x01, 4...4, status)
        add(0x41, 4...4, [flag("MIS_EN", 15)])
        add(
            0x02, 2...2,
            [
                Signal(id: "DTCFRZF", name: "", bitOffset: 0, bitLength: 16, kind: .code)
            ])
        let fuelStatus: [(code: UInt64, label: String)] = [
            (0, "off"), (1, "open"), (2, "closed"), (4, "open: driving"), (8, "open: fault"),
            (16, "closed with fault"),
        ]
        add(
            0x03, 2...2,
            [
                Signal(
                    id: "FUELSYSA", name: "", bitOffset: 0, bitLength: 8, kind: .enumeration,
                    labels: fuelStatus),
                Signal(
                    id: "FUELSYSB", name: "", bitOffset: 8, bitLength: 8, kind: .enumeration,
                    labels: fuelStatus),
            ])
        add(0x04, 1...1, [number("LOAD_PCT", 0, 8, 100, 255, unit: "%")])
        add(0x05, 1...1, [number("ECT", 0, 8, 1, 1, -40, unit: "°C")])
        let trims: [(UInt32, String, String)] = [
            (0x06, "SHRTFT1", "SHRTFT3"), (0x07, "LONGFT1", "LONGFT3"),
            (0x08, "SHRTFT2", "SHRTFT4"), (0x09, "LONGFT2", "LONGFT4"),
        ]
        for (pid, first, second) in trims {
            add(
                pid, 1...2,
                [number(first, 0, 8, 100, 128, -100), number(second, 8, 8, 100, 128, -100)])
        }
        add(0x0B, 1...1, [number("MAP", 0, 8, unit: "kPa")])
        add(0x0C, 2...2, [number("RPM", 0, 16, 1, 4, unit: "rpm")])
        add(0x0D, 1...1, [number("VSS", 0, 8, unit: "km/h")])
        add(0x10, 2...2, [number("MAF", 0, 16, 1, 100, unit: "g/s")])
        add(0x11, 1...1, [number("TP", 0, 8, 100, 255, unit: "%")])
        add(0x24, 4...4, [number("LAMBDA11", 0, 16, 2, 65536), number("O2S11V", 16, 16, 8, 65536)])
        add(0x32, 2...2, [number("EVAP_VP", 0, 16, 1, 4, signed: true, unit: "Pa")])
        add(
            0x34, 4...4,
            [
                number("LAMBDA11W", 0, 16, 2, 65536), number("O2S11I", 16, 16, 1, 256, -128),
            ])
        add(0x44, 2...2, [number("LAMBDA", 0, 16, 2, 65536)])
        add(
            0x4F, 4...4,
            [
                number("MAX_LAMBDA", 0, 8), number("MAX_O2V", 8, 8), number("MAX_O2I", 16, 8),
                number("MAX_MAP", 24, 8, 10),
            ])
        add(0x50, 4...4, [number("MAX_MAF", 0, 8, 10)])
        add(0x55, 1...2, [number("STSO2FT1", 0, 8, 100, 128, -100), number("STSO2FT3", 8, 8)])
        var mafA = number("MAFA", 8, 16, 1, 32)
        mafA.supportFlag = SignalIndex(rawValue: 1)
        var mafB = number("MAFB", 24, 16, 1, 32)
        mafB.supportFlag = SignalIndex(rawValue: 0)
        add(0x66, 5...5, [flag("MAFB_SUP", 6), flag("MAFA_SUP", 7), mafA, mafB])
        add(0xAA, 1...1, [number("SPEED_LIMIT", 0, 8)])
    }

    private static func addInformation(_ table: inout PIDTable) {
        func add(_ infoType: UInt32, _ length: ClosedRange<Int>, _ signals: [Signal]) {
            table.add(
                DataID(.vehicleInformation, infoType), name: "", length: length, signals: signals)
        }
        func text(_ id: String, _ bytes: Int) -> [Signal] {
            [Signal(id: id, name: id, bitOffset: 0, bitLength: bytes * 8, kind: .text)]
        }
        add(0x01, 1...1, [number("MC_VIN", 0, 8)])
        add(0x05, 1...1, [number("MC_CVN", 0, 8)])
        add(0x02, 17...17, text("VIN", 17))
        add(0x04, 16...16, text("CALID", 16))
        add(
            0x06, 4...4,
            [
                Signal(id: "CVN", name: "", bitOffset: 0, bitLength: 32, kind: .bytes)
            ])
        add(0x08, 32...40, (0..<20).map { number("IPT\($0)", $0 * 16, 16) })
        add(0x0A, 20...20, text("ECUNAME", 20))
        add(0x0B, 36...36, (0..<18).map { number("IPTC\($0)", $0 * 16, 16) })
        add(0x12, 2...2, [number("FEOCNTR", 0, 16)])
        table.add(
            DataID(.readLocalData, 0x01), name: "", length: 3...3, signals: [number("LOCAL", 0, 24)]
        )
        table.add(
            DataID(.readData, 0xF190), name: "", length: 17...17, signals: text("VIN_DID", 17))
        table.add(
            DataID(.readData, 0x1234), name: "", length: 2...2, signals: [number("DID", 0, 16)])
        var speed = number("ENG_SPEED", 24, 16, 1, 8, unit: "rpm")
        speed.isLittleEndian = true
        table.add(
            DataID(DataID.parameterGroups, 0x00F004), name: "", length: 8...8, signals: [speed])
    }

    /// A few rows of each table of service 06.
    static let monitors: MonitorTables = {
        var tables = MonitorTables()
        let files: [(MonitorTables.File, String)] = [
            (
                .monitors,
                "01\tOxygen sensor B1S1\t\nA2\tMisfire cylinder 1\t\nB0\tMisfire cylinder 15\tmisfire\nB0\tPM filter B1\tother\n"
            ),
            (
                .tests,
                "01\tThreshold\t1/200\tV\t0\n05\tSwitch time\t1/250\ts\t2\n0B\tMisfire average\t\t\t\n"
            ),
            (
                .scalings,
                "0A\t1000/8192\t0\tmV\tvoltage\n16\t1/10\t-40\t°C\ttemperature\n24\t1\t0\t\tcounts\nFE\t1/4\t0\tPa\tvacuum\n"
            ),
        ]
        for (file, text) in files { try? tables.add(text, of: file) }
        return tables
    }()
}

/// One exchange: request, protocol and ECU.
struct Asked {
    var request: String?
    var family: VehicleProtocol.Family? = .can
    var ecu: ECUAddress? = ECUAddress(0x7E8, .can11)

    var exchange: Exchange {
        Exchange(request: request.flatMap { Hex.bytes($0) }, family: family)
    }
}

/// Decodes answers in hexadecimal and returns the items in short form.
func decode(_ asked: Asked, _ answers: [String]) -> [String] {
    var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
    return decode(asked, answers, by: &decoder)
}

func decode(
    _ asked: Asked, _ answers: [String], by decoder: inout ResponseDecoder
) -> [String] {
    var items: [DiagnosticItem] = []
    for (line, answer) in answers.enumerated() {
        let message = ECUMessage(
            ecu: asked.ecu, payload: Hex.bytes(answer) ?? [], line: line + 1)
        decoder.decode(message, in: asked.exchange, &items)
    }
    decoder.endExchange(asked.exchange, &items)
    return items.map(short)
}

/// An item in short form: `RPM=1726`, `stored P0133-11 2F`, `error`, `message`.
func short(_ item: DiagnosticItem) -> String {
    switch item {
    case .reading(let reading): return short(reading)
    case .monitor(let status):
        let complete = status.complete.map { $0 ? "complete" : "incomplete" } ?? "unsupported"
        return "\(status.scope.rawValue) \(status.monitor.rawValue) \(complete)"
    case .monitorTest(let test): return short(test)
    case .code(let report):
        var text = "\(report.kind.rawValue) \(report.code.text)"
        if case .dtc(let code) = report.code, let type = code.failureType {
            text += "-" + Hex.string([type])
        }
        if let status = report.statusByte { text += " status \(Hex.string([status]))" }
        if let severity = report.severity { text += " severity \(Hex.string([severity]))" }
        if case .j1939(let code) = report.code { text += " count \(code.occurrenceCount)" }
        return text
    case .negativeResponse(let refusal, _, _):
        return "refused \(refusal.service) \(Hex.string([refusal.nrc.rawValue]))"
    case .message: return "message"
    case .error: return "error"
    }
}

private func short(_ reading: Reading) -> String {
    let signal = TestTable.pids[reading.signal]
    var text = signal.id + "="
    switch reading.value {
    case .number(let number):
        text += number == number.rounded() ? "\(Int(number))" : "\(number)"
    case .flag(let isSet): text += isSet ? "yes" : "no"
    case .label(let code): text += "code \(code)"
    case .text(let string): text += string
    case .supportMap:
        text += reading.announcedIDs.map(\.idText).joined(separator: " ")
    case .missing(let why, let code):
        text += why.rawValue + (code.map { " \($0)" } ?? "")
    }
    if let frame = reading.frame { text += " frame \(frame)" }
    if let dtc = reading.dtc { text += " dtc \(dtc)" }
    if let checkDigit = reading.checkDigit { text += checkDigit ? " valid" : " invalid" }
    return text
}

private func short(_ test: MonitorTestResult) -> String {
    var text = "test"
    if let mid = test.mid { text += " mid \(Hex.string([mid]))" }
    text += " tid \(Hex.string([test.tid]))"
    if let component = test.component { text += " component \(Hex.string([component]))" }
    for (name, number) in [("value", test.value), ("min", test.min), ("max", test.max)] {
        if let number { text += " \(name) \(number)" }
    }
    if let unit = test.unit { text += " \(unit)" }
    return text + (test.passed.map { $0 ? " passed" : " failed" } ?? " not run")
}

/// A request with one answer over CAN and the expected items.
struct Pair: Sendable, CustomTestStringConvertible {
    var request: String?
    var answer: String
    var expected: [String]

    init(_ request: String?, _ answer: String, _ expected: [String]) {
        self.request = request
        self.answer = answer
        self.expected = expected
    }

    var testDescription: String { "\(request ?? "?") → \(answer)" }
}

/// A request with its protocol, answers and expected items.
struct Row: Sendable, CustomTestStringConvertible {
    var request: String?
    var family: VehicleProtocol.Family?
    var answers: [String]
    var expected: [String]

    init(
        _ request: String?, _ family: VehicleProtocol.Family?, _ answers: [String],
        _ expected: [String]
    ) {
        self.request = request
        self.family = family
        self.answers = answers
        self.expected = expected
    }

    init(
        _ request: String?, _ family: VehicleProtocol.Family?, _ answer: String,
        _ expected: [String]
    ) {
        self.init(request, family, [answer], expected)
    }

    var testDescription: String { "\(request ?? "?") → \(answers.joined(separator: " | "))" }
}
