import Foundation

/// A server that records what it received, and is away at times.
struct Broker {
    /// What a line is about.
    enum Thing: Hashable {
        case record(Int)
        case code(String)
    }

    var isAway = false
    /// The times under which each record arrived; unit: µs since 1970.
    private(set) var times: [Thing: Set<Int64>] = [:]
    private(set) var lines = 0
    /// Lines that it had before, with the same time; such a line changes nothing in a time series.
    private(set) var repeated = 0

    /// Takes lines; false = it is away.
    mutating func take(_ bytes: [UInt8]) -> Bool {
        if isAway { return false }
        for line in bytes.split(separator: 0x0A) {
            let text = String(decoding: line, as: UTF8.self)
            guard let blank = text.lastIndex(of: " "), let time = Int64(text[blank...].dropFirst()),
                let thing = Self.thing(of: text)
            else { continue }
            lines += 1
            if !times[thing, default: []].insert(time / 1000).inserted { repeated += 1 }
        }
        return true
    }

    private static func thing(of line: String) -> Thing? {
        func value(_ name: String) -> Substring? {
            guard let start = line.range(of: name + "=")?.upperBound else { return nil }
            return line[start...].prefix { $0 != " " && $0 != "," }
        }
        if line.hasPrefix("obd_code,") { return value("code").map { .code(String($0)) } }
        let number =
            line.hasPrefix("position")
            ? value("latitude").flatMap { Double($0) }.map { $0 * 100_000 }
            : line.hasPrefix("obd,") ? value("value").flatMap { Double($0) } : nil
        return number.map { .record(Int($0.rounded())) }
    }
}
