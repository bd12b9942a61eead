import Adapters
import CFloors
import Conversation
import Diagnostics
import OBDCore
import PIDTables

/// Decodes raw adapter text to readings on one core; measures processor time, which other load
/// disturbs less.
enum DecodeBench {
    private struct Sample {
        var name: String
        var request: String
        var lines: [[UInt8]]
    }

    static func run(rows: Int) throws {
        let table = try PIDTables.standard()
        let monitors = try PIDTables.monitorTables()
        let samples = [
            Sample(
                name: "one a frame, no blanks", request: "010C",
                lines: lines { "7E804410C\(hex($0, 4))000000" }),
            Sample(
                name: "one a frame, blanks", request: "010C",
                lines: lines { "7E8 04 41 0C \(hex($0 & 0xFF, 2)) \(hex($0 >> 8, 2)) 00 00 00" }),
            Sample(
                name: "one a frame, headers off", request: "010C",
                lines: lines { "410C\(hex($0, 4))" }),
            Sample(
                name: "three a frame", request: "010D050B",
                lines: lines {
                    "7E807410D\(hex($0 & 0xFF, 2))05\(hex($0 >> 8, 2))0B\(hex($0 & 0xFF, 2))"
                }),
        ]
        for sample in samples {
            var times: [Double] = []
            var readings = 0
            for _ in 0..<3 {
                let start = floor_cpu()
                readings = decode(sample, table, monitors, rows: rows)
                times.append(floor_cpu() - start)
            }
            ObdscanBench.print(
                "decode: \(sample.name)", Double(readings) / times.sorted()[1], "readings/s",
                note: "\(readings) readings")
        }
    }

    private static func decode(
        _ sample: Sample, _ table: PIDTable, _ monitors: MonitorTables, rows: Int
    ) -> Int {
        var reader = ConversationReader(
            .init(request: sample.request, vehicleProtocol: .can11At500))
        var decoder = ResponseDecoder(table: table, monitors: monitors)
        var items: [ConversationItem] = []
        var decoded: [DiagnosticItem] = []
        var readings = 0
        for number in 0..<rows {
            items.removeAll(keepingCapacity: true)
            decoded.removeAll(keepingCapacity: true)
            reader.read(sample.lines[number & 1023], number: number + 1, &items)
            for item in items {
                if case .message(let message) = item.content {
                    decoder.decode(message, in: item.exchange, &decoded)
                }
            }
            for case .reading in decoded { readings += 1 }
        }
        return readings
    }

    static func lines(_ text: (UInt32) -> String) -> [[UInt8]] {
        (0..<1024).map { Array(text(UInt32($0) &* 40_503 & 0xFFFF).utf8) }
    }

    static func hex(_ value: UInt32, _ digits: Int) -> String { Hex.string(value, digits: digits) }
}

/// Splits bytes into lines and prompts.
enum LexerBench {
    static func run(rows: Int) throws {
        let reply = Array("7E804410C1AF8000000\r\r>".utf8)
        var bytes: [UInt8] = []
        for _ in 0..<1000 { bytes += reply }
        var lexer = ReplyLexer()
        var tokens: [ReplyLexer.Token] = []
        var lines = 0
        let start = floor_cpu()
        for _ in 0..<max(1, rows / 1000) {
            tokens.removeAll(keepingCapacity: true)
            lexer.receive(bytes.span, &tokens)
            for case .line in tokens { lines += 1 }
        }
        let taken = floor_cpu() - start
        ObdscanBench.print("lexer: replies of 21 bytes", Double(lines) / taken, "replies/s")
    }
}
