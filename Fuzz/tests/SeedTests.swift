import Foundation
import TestSupport
import Testing

/// Every reader of bytes from outside, with the first inputs of libFuzzer and with changed ones.
///
/// The first inputs are in `Fuzz/seeds`; `scripts/fuzz` looks for further ones.
struct SeedTests {
    /// Changed inputs per target.
    private static let mutations = 400
    /// Simulated drives over a bad link; each takes longer than several hundred inputs of other targets.
    private static let badLinks: ClosedRange<UInt64> = 1...12

    @Test(arguments: FuzzTarget.allCases.filter { $0 != .faults })
    func `The rules hold for every seed and for changed seeds`(_ target: FuzzTarget) throws {
        let seeds = try Self.seeds(of: target)
        try #require(!seeds.isEmpty)
        for seed in seeds { target.read(seed) }
        var mutator = Mutator(seeds: seeds)
        for _ in 0..<Self.mutations { target.read(mutator.next()) }
    }

    @Test(arguments: badLinks)
    func `A bad link invents nothing and hides nothing`(_ number: UInt64) {
        FuzzTarget.faults.read(Array(String(number).utf8))
    }

    /// A seed per line, with the escapes of `printf`.
    private static func seeds(of target: FuzzTarget) throws -> [[UInt8]] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "seeds")
        let text = try Data(contentsOf: folder.appending(path: "\(target.rawValue).txt"))
        return text.split(separator: 0x0A, omittingEmptySubsequences: false).map { unescaped($0) }
    }

    private static func unescaped(_ line: Data) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Array(line)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                result.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "\\"): result.append(escape)
            case UInt8(ascii: "x"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                result.append(UInt8(digits, radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            default: result += [byte, escape]
            }
        }
        return result
    }
}

/// Changes seeds in the way of a fuzzer; the same generator gives the same inputs.
private struct Mutator {
    let seeds: [[UInt8]]
    var generator = SeededGenerator(seed: 1)

    mutating func next() -> [UInt8] {
        var input = seeds[below(seeds.count)]
        for _ in 0...below(4) { change(&input) }
        return Array(input.prefix(4096))
    }

    private mutating func change(_ input: inout [UInt8]) {
        let place = below(input.count + 1)
        switch below(7) {
        case 0: input.insert(UInt8(below(256)), at: place)
        case 1: input.removeSubrange(place..<min(input.count, place + 1 + below(8)))
        case 2: input.removeSubrange(place...)
        case 3: input.insert(contentsOf: input[place..<min(input.count, place + 64)], at: place)
        case 4: input.replaceSubrange(place..., with: seeds[below(seeds.count)].suffix(below(64)))
        case 5 where place < input.count: input[place] ^= 1 << below(8)
        case _ where place < input.count: input[place] = UInt8(below(256))
        default: input.append(UInt8(below(256)))
        }
    }

    private mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &generator) }
}
