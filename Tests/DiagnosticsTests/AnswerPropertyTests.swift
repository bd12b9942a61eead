import Diagnostics
import OBDCore
import TestSupport
import Testing

@Suite struct `Random answers of an ECU` {
    private static let services: [UInt8] = [
        0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x50, 0x54, 0x58, 0x59, 0x5A,
        0x61, 0x62, 0x7E, 0x7F,
    ]
    private static let families: [VehicleProtocol.Family?] = [
        nil, .can, .iso9141, .iso14230, .j1850, .j1939,
    ]

    /// A random byte, often one with a meaning: a count, an identifier, a filler.
    private static func byte(_ random: inout SeededGenerator) -> UInt8 {
        let telling: [UInt8] = [
            0x00, 0x01, 0x02, 0x06, 0x0C, 0x20, 0x4F, 0x55, 0xAA, 0xF4, 0xF8, 0xFF,
        ]
        return Bool.random(using: &random)
            ? telling[Int.random(in: 0..<telling.count, using: &random)]
            : UInt8.random(in: 0...255, using: &random)
    }

    @Test(arguments: services)
    func `random bytes never crash and always give an item`(service: UInt8) {
        var random = SeededGenerator(seed: UInt64(service))
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        var items: [DiagnosticItem] = []
        for _ in 0..<10_000 {
            let length = Int.random(in: 0...40, using: &random)
            let payload = [service] + (0..<length).map { _ in Self.byte(&random) }
            var request: [UInt8]?
            if Bool.random(using: &random) {
                let count = Int.random(in: 0...6, using: &random)
                request = [service & ~0x40] + (0..<count).map { _ in Self.byte(&random) }
                if Bool.random(using: &random) { request = Array(payload.prefix(4)) }
                if request?.isEmpty == false { request?[0] = service & ~0x40 }
            }
            let family = Self.families[Int.random(in: 0..<Self.families.count, using: &random)]
            let group: UInt32? = Bool.random(using: &random) ? 0xFECA : nil
            let ecu: ECUAddress? = Bool.random(using: &random) ? ECUAddress(0x7E8, .can11) : nil
            let exchange = Exchange(request: request, family: family)
            items.removeAll(keepingCapacity: true)
            decoder.decode(
                ECUMessage(ecu: ecu, payload: payload, parameterGroup: group), in: exchange, &items)
            decoder.endExchange(exchange, &items)
            for case .reading(let reading) in items {
                #expect(TestTable.pids.signals.indices.contains(Int(reading.signal.rawValue)))
                if case .text(let text) = reading.value {
                    #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
                }
            }
        }
    }

    /// Correct answers to known requests.
    private static let whole: [(request: String, family: VehicleProtocol.Family, answer: String)] =
        [
            ("010C0D05110B04", .can, "410C1AF80D32057B11400B650480"),
            ("0106070C", .can, "410680400740200C1AF8"),
            ("0101", .can, "410181076504"),
            ("01002040", .can, "4100BE3EB81320800000014040000000"),
            ("0202000C000D00", .can, "42020001330C001AF80D0032"),
            ("03", .can, "4303013302010301"),
            ("03", .iso9141, "43013302010301"),
            ("07", .can, "47020133C123"),
            ("0601", .can, "4601010A0BB00BB00BB00102160190000003E8"),
            ("0606", .iso14230, "460603005A9C40"),
            ("050501", .iso9141, "4505010F0032"),
            ("0902", .can, "4902013148474344383236333341303034333532"),
            (
                "0904", .can,
                "4904023233373631363432355300000000000041424344454647484950515253545556"
            ),
            ("0906", .can, "4906021791BC8200000A01"),
            ("0908", .can, "490810" + String(repeating: "0102", count: 16)),
            ("1800FF00", .iso14230, "58020133E0C123A0"),
            ("1902FF", .can, "5902FF01331C2FC1008704"),
            ("19423308FF", .can, "594233FFFF042001331C084001441C08"),
            ("190401331CFF", .can, "590401331C2F0102F40C1AF8F40D32"),
            ("22F40CF40DF405", .can, "62F40C1AF8F40D32F4057B"),
            ("22F802", .can, "62F8023148474344383236333341303034333532"),
            ("22F601", .can, "62F601050A0BB00BB00BB002160190000003E8"),
        ]

    @Test(arguments: whole.indices)
    func `a shortened answer gives no value that the whole does not give`(index: Int) throws {
        let row = Self.whole[index]
        let payload = try #require(Hex.bytes(row.answer))
        let exchange = Exchange(request: Hex.bytes(row.request), family: row.family)
        let all = Self.decode(payload, exchange)
        #expect(!all.contains("error") && !all.contains("message"))
        #expect(!all.isEmpty)
        for length in 0..<payload.count {
            let found = Self.decode(Array(payload.prefix(length)), exchange)
            let values = found.filter { $0 != "error" && $0 != "message" }
            for value in values { #expect(all.contains(value), "\(length) bytes") }
            #expect(values.count < all.count || found == all, "\(length) bytes")
        }
    }

    /// The PIDs of the test table, and the number of bytes that each may have.
    private static let lengths: [(pid: UInt8, length: ClosedRange<Int>)] = [
        (0x03, 2...2), (0x04, 1...1), (0x05, 1...1), (0x06, 1...2), (0x07, 1...2), (0x08, 1...2),
        (0x09, 1...2), (0x0B, 1...1), (0x0C, 2...2), (0x0D, 1...1), (0x10, 2...2), (0x11, 1...1),
        (0x24, 4...4), (0x32, 2...2), (0x34, 4...4), (0x55, 1...2), (0x66, 5...5), (0xAA, 1...1),
    ]

    @Test func `an answer to a batch is split into the records that the ECU joined, or into fewer`()
    {
        var random = SeededGenerator(seed: 3)
        var whole = 0
        for _ in 0..<5_000 {
            let asked = Self.lengths.shuffled(using: &random).prefix(
                Int.random(in: 1...6, using: &random))
            let answered = asked.filter { _ in Int.random(in: 0..<8, using: &random) > 0 }
                .shuffled(using: &random)
            var payload: [UInt8] = [0x41]
            var expected: [String] = []
            for (pid, length) in answered {
                let data = (0..<Int.random(in: length, using: &random)).map { _ in
                    Self.byte(&random)
                }
                payload += [pid] + data
                expected += Self.decode(
                    [0x41, pid] + data, Exchange(request: [0x01, pid], family: .can))
            }
            guard !answered.isEmpty else { continue }
            let request = [0x01] + asked.map(\.pid)
            let found = Self.decode(payload, Exchange(request: request, family: .can))
            let values = found.filter { $0 != "error" }
            #expect(
                values == Array(expected.prefix(values.count)) || Self.isSubset(values, expected))
            if found == expected { whole += 1 } else { #expect(found.last == "error") }
            if answered.allSatisfy({ $0.length.count == 1 }) { #expect(found == expected) }
        }
        // Where lengths vary, a few batches can be split in two ways.
        #expect(whole > 4_500)
    }

    /// Whether `all` contains `values` in this order.
    private static func isSubset(_ values: [String], _ all: [String]) -> Bool {
        var rest = all[...]
        for value in values {
            guard let place = rest.firstIndex(of: value) else { return false }
            rest = rest[(place + 1)...]
        }
        return true
    }

    @Test func `the answer of one ECU does not depend on another ECU's answer before`() throws {
        let exchange = Exchange(request: [0x01, 0x0C], family: .can)
        var random = SeededGenerator(seed: 7)
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        for _ in 0..<2_000 {
            var items: [DiagnosticItem] = []
            let noise = (0..<Int.random(in: 0...20, using: &random)).map { _ in Self.byte(&random) }
            decoder.decode(
                ECUMessage(ecu: ECUAddress(0x7E9, .can11), payload: [0x41] + noise),
                in: Exchange(family: .can), &items)
            items = []
            decoder.decode(
                ECUMessage(ecu: ECUAddress(0x7E8, .can11), payload: [0x41, 0x0C, 0x1A, 0xF8]),
                in: exchange, &items)
            #expect(items.map(short) == ["RPM=1726"])
        }
    }

    private static func decode(_ payload: [UInt8], _ exchange: Exchange) -> [String] {
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        var items: [DiagnosticItem] = []
        decoder.decode(ECUMessage(ecu: nil, payload: payload), in: exchange, &items)
        decoder.endExchange(exchange, &items)
        return items.map(short)
    }
}
