import Diagnostics
import OBDCore
import PIDTables

/// Ends the process with `reason` unless the rule holds.
@inline(__always)
func require(_ holds: Bool, _ reason: @autoclosure () -> String) {
    if !holds {
        let input = FuzzTarget.input.map { hexadecimal($0) }.joined()
        fatalError("property broken: \(reason()); input \(input)")
    }
}

/// Two digits.
private func hexadecimal(_ byte: UInt8) -> String {
    (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
}

/// Splits an input into the parts of a structured one.
struct Cutter {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place >= bytes.count }

    /// The next byte; 0 after the end.
    mutating func byte() -> UInt8 {
        guard place < bytes.count else { return 0 }
        defer { place += 1 }
        return bytes[place]
    }

    /// The next bytes, at most as many as there are.
    mutating func bytes(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, place + count)
        defer { place = end }
        return Array(bytes[place..<end])
    }

    /// The remaining bytes.
    mutating func rest() -> [UInt8] { bytes(bytes.count - place) }
}

/// Whether `whole` becomes `part` by leaving out bytes.
func isSubsequence<Bytes: Sequence<UInt8>>(_ part: [UInt8], of whole: Bytes) -> Bool {
    var index = 0
    for byte in whole where index < part.count && part[index] == byte { index += 1 }
    return index == part.count
}

/// Whether `whole` contains `part` in one piece.
func isFound(_ part: [UInt8], in whole: [UInt8]) -> Bool {
    guard !part.isEmpty else { return true }
    guard part.count <= whole.count else { return false }
    return (0...whole.count - part.count).contains {
        whole[$0..<$0 + part.count].elementsEqual(part)
    }
}

/// The embedded tables, loaded once.
enum Tables {
    static let standard: PIDTable = {
        do { return try PIDTables.standard() } catch { fatalError("embedded table: \(error)") }
    }()

    static let monitors: MonitorTables = {
        do { return try PIDTables.monitorTables() } catch { fatalError("monitors: \(error)") }
    }()

    static let texts = PIDTables.codeTexts()
}

/// Checks the rules for every item, whatever its source is.
func check(_ item: DiagnosticItem, in table: PIDTable) {
    switch item {
    case .reading(let reading):
        require(
            table.signals.indices.contains(Int(reading.signal.rawValue)), "reading of no signal")
        if case .number(let number) = reading.value {
            require(number.isFinite, "\(table[reading.signal].id) is \(number)")
        }
    case .monitorTest(let result):
        for number in [result.value, result.min, result.max] {
            require(number?.isFinite ?? true, "a result of service 06 is \(number ?? 0)")
        }
        if let value = result.value, result.passed == true {
            require(result.min.map { $0 <= value } ?? true, "passed below its limit")
            require(result.max.map { value <= $0 } ?? true, "passed above its limit")
        }
    case .code(let report):
        if case .dtc(let dtc) = report.code { require(dtc.code != 0, "an empty slot is a code") }
    case .monitor(let monitor):
        require(monitor.supported || monitor.complete == nil, "an unsupported monitor has run")
    case .negativeResponse, .message, .error: break
    }
}

/// The bytes from which an item was decoded; nil if it does not contain them.
func raw(of item: DiagnosticItem) -> [UInt8]? {
    switch item {
    case .reading(let reading): Array(reading.raw)
    case .monitorTest(let result): Array(result.raw)
    case .message(let message): message.payload
    case .monitor, .code, .negativeResponse, .error: nil
    }
}
