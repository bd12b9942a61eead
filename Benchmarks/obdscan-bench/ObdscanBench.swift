import CFloors
import Glibc

/// Measures our hot paths and compares them with C code that does the same work.
///
///     OBDSCAN_BENCHMARKS=1 swift run -c release obdscan-bench \
///         [lexer|decode|store|export|roundtrip …] [--rows N]
///
/// Every pair is measured three times alternately and the medians are printed, because machines are
/// noisy.
@main
enum ObdscanBench {
    static func main() throws {
        var names: [String] = []
        var rows = 1_000_000
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            if argument == "--rows" {
                rows = arguments.popFirst().flatMap { Int($0) } ?? rows
            } else {
                names.append(argument)
            }
        }
        let all: [(name: String, run: (Int) throws -> Void)] = [
            ("lexer", { try LexerBench.run(rows: $0) }),
            ("decode", { try DecodeBench.run(rows: $0) }),
            ("store", { try StoreBench.run(rows: $0) }),
            ("roundtrip", { try RoundTripBench.run(rows: $0) }),
            ("export", { try ExportBench.run(rows: $0) }),
        ]
        for (name, run) in all where names.isEmpty || names.contains(name) { try run(rows) }
    }

    /// The median of three runs, each alternating with its counterpart.
    static func inTurn(
        _ ours: () throws -> Double, _ floor: () throws -> Double
    ) rethrows -> (ours: Double, floor: Double) {
        var left: [Double] = []
        var right: [Double] = []
        for _ in 0..<3 {
            right.append(try floor())
            left.append(try ours())
        }
        return (left.sorted()[1], right.sorted()[1])
    }

    static func print(_ what: String, _ value: Double, _ unit: String, note: String = "") {
        let number =
            value >= 1000 ? grouped(Int(value)) : "\((value * 1000).rounded() / 1000)"
        let gap = String(repeating: " ", count: max(1, 46 - what.count))
        Swift.print("\(what)\(gap)\(number) \(unit)\(note.isEmpty ? "" : "   \(note)")")
    }

    static func ratio(_ value: Double) -> String { "\((value * 100).rounded() / 100) ×" }

    private static func grouped(_ value: Int) -> String {
        var digits = Array(String(value).reversed())
        var place = 3
        while place < digits.count {
            digits.insert("_", at: place)
            place += 4
        }
        return String(digits.reversed())
    }
}

/// A directory that is deleted with its owner.
struct Scratch: ~Copyable {
    let path: String

    init() {
        var template = Array("/tmp/obdscan-bench-XXXXXX".utf8CString)
        path =
            mkdtemp(&template) == nil
            ? "/tmp"
            : String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    deinit {
        for name in ["a.db", "b.db", "out.csv", "floor.csv"] {
            for end in ["", "-wal", "-shm"] { unlink("\(path)/\(name)\(end)") }
        }
        rmdir(path)
    }
}
