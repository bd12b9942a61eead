import Formats

/// A JSON value that keeps the order of keys.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case text(String)
    /// A number; a number that is not finite becomes null.
    case number(Double)
    /// True or false.
    case flag(Bool)
    case list([JSONValue])
    case object([Member])

    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: JSONValue
    }

    package static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(key: $0.key, value: $0.value) })
    }

    /// Adds a key to an object.
    package mutating func add(_ key: String, _ value: JSONValue) {
        guard case .object(let members) = self else { return }
        self = .object(members + [Member(key: key, value: value)])
    }

    /// The value as UTF-8 text.
    package var bytes: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    private func append(to output: inout [UInt8]) {
        switch self {
        case .null: JSONText.append(raw: "null", to: &output)
        case .text(let text): JSONText.append(text, to: &output)
        case .number(let number): JSONText.append(number, to: &output)
        case .flag(let flag): JSONText.append(flag, to: &output)
        case .list(let values):
            output.append(0x5B)
            for (place, value) in values.enumerated() {
                if place > 0 { output.append(0x2C) }
                value.append(to: &output)
            }
            output.append(0x5D)
        case .object(let members):
            output.append(0x7B)
            for (place, member) in members.enumerated() {
                if place > 0 { output.append(0x2C) }
                JSONText.append(member.key, to: &output)
                output.append(0x3A)
                member.value.append(to: &output)
            }
            output.append(0x7D)
        }
    }
}
