/// Metrics in Prometheus' text format, version 0.0.4.
package struct MetricsText: Sendable {
    /// The type of a metric family.
    package enum Kind: String, Hashable, Sendable {
        /// The value may go up and down.
        case gauge
        /// The value only goes up, except for restarts.
        case counter
    }

    /// The `Content-Type` of the answer.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var bytes: [UInt8] = []

    /// A text without metrics.
    package init() {}

    package mutating func family(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
        bytes += Array("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n".utf8)
    }

    /// Appends a sample without labels.
    package mutating func sample(_ name: StaticString, _ value: Double) { sample(name, [], value) }

    /// Appends a sample; label values may be any text.
    package mutating func sample(
        _ name: StaticString, _ labels: [(name: StaticString, value: String)], _ value: Double
    ) {
        bytes += Array("\(name)".utf8)
        for (place, label) in labels.enumerated() {
            bytes += Array("\(place == 0 ? "{" : ",")\(label.name)=\"".utf8)
            escape(label.value)
            bytes.append(0x22)
        }
        if !labels.isEmpty { bytes.append(0x7D) }
        let text =
            value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)"
        bytes += Array(" \(text)\n".utf8)
    }

    /// Escapes the three characters that the format requires, and replaces invalid text with
    /// U+FFFD.
    private mutating func escape(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: bytes += [0x5C, 0x22]
            case 0x5C: bytes += [0x5C, 0x5C]
            case 0x0A: bytes += [0x5C, 0x6E]
            case 0x00..<0x20, 0x7F..<0xA0: bytes += Array("\u{FFFD}".utf8)
            default: bytes += Array(String(scalar).utf8)
            }
        }
    }
}
