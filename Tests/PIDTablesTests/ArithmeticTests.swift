import Diagnostics
import OBDCore
import PIDTables
import TestSupport
import Testing

/// No data crashes the decoder, and each value is within the range of its bits.
@Suite struct `Records with any data` {
    private static func data(_ length: Int, _ random: inout SeededGenerator) -> [UInt8] {
        switch UInt8.random(in: 0..<8, using: &random) {
        case 0: Array(repeating: 0x00, count: length)
        case 1: Array(repeating: 0xFF, count: length)
        case 2: Array(repeating: 0x80, count: length)
        case 3: [0x7F] + Array(repeating: 0xFF, count: max(0, length - 1))
        default: (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
    }

    /// Decodes every record of a table from answers with its own length, with one byte more and one
    /// fewer, and without data.
    private func sweep(_ table: PIDTable, rounds: Int, isChecked: Bool) throws {
        let monitors = try PIDTables.monitorTables()
        var random = SeededGenerator(seed: 31)
        for record in table.records {
            let id = record.dataID
            let isGroup = id.service == DataID.parameterGroups
            var head = [id.service.rawValue]
            if id.digits > 2 { head.append(UInt8(truncatingIfNeeded: id.id >> 8)) }
            head.append(UInt8(truncatingIfNeeded: id.id))
            for _ in 0..<rounds {
                let lengths = [
                    record.length.lowerBound, record.length.upperBound,
                    record.length.upperBound + 1, max(0, record.length.lowerBound - 1), 0,
                ]
                for length in lengths {
                    var decoder = ResponseDecoder(table: table, monitors: monitors)
                    let data = Self.data(min(length, 4096), &random)
                    let answer = isGroup ? data : [head[0] &+ 0x40] + head.dropFirst() + data
                    let exchange = Exchange(request: head, family: isGroup ? .j1939 : .can)
                    var items: [DiagnosticItem] = []
                    decoder.decode(
                        ECUMessage(
                            ecu: record.responder, payload: answer,
                            parameterGroup: isGroup ? id.id : nil), in: exchange, &items)
                    decoder.endExchange(exchange, &items)
                    for case .reading(let reading) in items {
                        guard case .number(let value) = reading.value else { continue }
                        let signal = table[reading.signal]
                        #expect(value.isFinite, "\(signal.id) \(Hex.string(answer))")
                        if isChecked, let range = signal.valueRange {
                            #expect(range.contains(value), "\(signal.id) \(Hex.string(answer))")
                        }
                    }
                }
            }
        }
    }

    @Test func `the embedded tables stay within their ranges`() throws {
        try sweep(PIDTables.standard(), rounds: 12, isChecked: true)
    }

    /// Random formulas, as no user would write them.
    @Test func `extreme formulas of a user neither crash nor give infinite numbers`() throws {
        var text = ""
        let factors = [
            "0", "-1", "1" + String(repeating: "0", count: 300),
            "0." + String(repeating: "0", count: 300) + "1", "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615", "1/3", "-100/255", "0.000000001",
        ]
        let bits = ["A", "A.7", "A..B", "B.3..C.4", "A..H", "A.0", "1+63", "0+64"]
        var number = 1
        for factor in factors {
            for place in bits {
                for sign in ["", " signed"] {
                    let row =
                        "record 22:\(Hex.string(UInt32(number), digits: 4)) 8 : W\(number)\n"
                        + "signal W\(number) \(place)\(sign) scale \(factor) offset -1000000 : w\n"
                    let file = TableFile(path: "wild.pids", contents: Array(row.utf8))
                    // The reader may refuse the row or accept it.
                    if (try? PIDTables.load([file])) != nil { text += row }
                    number += 1
                }
            }
        }
        let file = TableFile(path: "wild.pids", contents: Array(text.utf8))
        var table = PIDTable()
        for record in try PIDTables.records([file]) where record.file == "wild.pids" {
            table.add(record)
        }
        #expect(table.records.count > 20)
        try sweep(table, rounds: 6, isChecked: false)
    }
}
