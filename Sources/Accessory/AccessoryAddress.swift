/// Where an accessory is, as `-d` takes it.
public enum AccessoryAddress: Hashable, Sendable {
    /// A serial line or pty; unit of `rate`: bit/s, nil = detect.
    case serial(path: String, rate: Int?)
    /// A Bluetooth RFCOMM channel; nil = look it up.
    case rfcomm(BluetoothAddress, channel: UInt8?)
    /// A Bluetooth accessory by its name.
    case bluetooth(name: String)
    /// A TCP server: Wi-Fi adapters.
    case tcp(host: String, port: UInt16)
    /// The simulated vehicle; everything behind `sim:`.
    case simulator(String)
    /// A recorded transcript.
    case replay(path: String)
    /// A name that the configuration gives to an accessory.
    case alias(String)

    /// Reads one of the forms.
    public init(_ text: String) throws(AddressError) {
        guard let colon = text.firstIndex(of: ":"), !text.hasPrefix("/") else {
            self = try Self.bare(text)
            return
        }
        let rest = text[text.index(after: colon)...]
        switch text[..<colon] {
        case "serial": self = try Self.serial(rest, of: text)
        case "rfcomm": self = try Self.rfcomm(rest, of: text)
        case "bluetooth":
            if rest.isEmpty { throw AddressError(.missing("name"), in: text) }
            self = .bluetooth(name: String(rest))
        case "tcp": self = try Self.tcp(rest, of: text)
        case "sim": self = .simulator(String(rest))
        case "replay":
            if rest.isEmpty { throw AddressError(.missing("file"), in: text) }
            self = .replay(path: String(rest))
        default: throw AddressError(.unknownScheme(String(text[..<colon])), in: text)
        }
    }

    private static func bare(_ text: String) throws(AddressError) -> AccessoryAddress {
        if text.isEmpty { throw AddressError(.missing("accessory"), in: text) }
        if text.contains("/") { return .serial(path: text, rate: nil) }
        return .alias(text)
    }

    private static func serial(
        _ rest: Substring, of text: String
    ) throws(AddressError) -> AccessoryAddress {
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, !path.isEmpty else {
            throw AddressError(.missing("path"), in: text)
        }
        var rate: Int?
        for option in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, pair[0] == "baud" else {
                throw AddressError(.unknownOption(String(pair[0])), in: text)
            }
            guard let number = decimal(pair[1]), (50...20_000_000).contains(number) else {
                throw AddressError(.badValue("baud", String(pair[1])), in: text)
            }
            rate = number
        }
        return .serial(path: String(path), rate: rate)
    }

    private static func rfcomm(
        _ rest: Substring, of text: String
    ) throws(AddressError) -> AccessoryAddress {
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = BluetoothAddress(parts[0]) else {
            throw AddressError(.badValue("address", String(parts[0])), in: text)
        }
        guard parts.count == 2 else { return .rfcomm(address, channel: nil) }
        guard let channel = decimal(parts[1]), (1...30).contains(channel) else {
            throw AddressError(.badValue("channel", String(parts[1])), in: text)
        }
        return .rfcomm(address, channel: UInt8(channel))
    }

    private static func tcp(
        _ rest: Substring, of text: String
    ) throws(AddressError) -> AccessoryAddress {
        var host = rest
        var port: Substring?
        if rest.hasPrefix("[") {
            guard let close = rest.firstIndex(of: "]") else {
                throw AddressError(.badValue("host", String(rest)), in: text)
            }
            host = rest[rest.index(after: rest.startIndex)..<close]
            let behind = rest[rest.index(after: close)...]
            port = behind.hasPrefix(":") ? behind.dropFirst() : nil
        } else if let colon = rest.lastIndex(of: ":") {
            host = rest[..<colon]
            port = rest[rest.index(after: colon)...]
            // An IPv6 address without brackets: which colon begins the port cannot be told.
            if host.contains(":") { throw AddressError(.badValue("host", String(rest)), in: text) }
        }
        if host.isEmpty { throw AddressError(.missing("host"), in: text) }
        guard let port else { throw AddressError(.missing("port"), in: text) }
        guard let number = decimal(port), (1...65_535).contains(number) else {
            throw AddressError(.badValue("port", String(port)), in: text)
        }
        return .tcp(host: String(host), port: UInt16(number))
    }

    /// A number of digits alone: `Int` would take a sign.
    private static func decimal(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}

extension AccessoryAddress: CustomStringConvertible {
    /// The form that is printed as `id` and can be given to `-d` again.
    public var description: String {
        switch self {
        case .serial(let path, let rate): "serial:\(path)" + (rate.map { "?baud=\($0)" } ?? "")
        case .rfcomm(let address, let channel):
            "rfcomm:\(address)" + (channel.map { "/\($0)" } ?? "")
        case .bluetooth(let name): "bluetooth:\(name)"
        case .tcp(let host, let port):
            host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .simulator(let scenario): "sim:\(scenario)"
        case .replay(let path): "replay:\(path)"
        case .alias(let name): name
        }
    }
}

/// What is wrong with an accessory's address.
public struct AddressError: Error, Hashable, Sendable {
    /// The fault.
    public enum Fault: Hashable, Sendable {
        /// A part that has to be there.
        case missing(String)
        /// A word before the colon that names no kind of accessory.
        case unknownScheme(String)
        /// An option that this kind does not have.
        case unknownOption(String)
        /// A part and a value that it cannot have.
        case badValue(String, String)
    }

    /// The fault.
    public var fault: Fault
    /// The whole address as given.
    public var text: String

    /// A fault in `text`.
    public init(_ fault: Fault, in text: String) {
        self.fault = fault
        self.text = text
    }

    /// One sentence for people.
    public var reason: String {
        switch fault {
        case .missing(let part): "“\(text)” names no \(part)"
        case .unknownScheme(let scheme): "“\(scheme):” is no kind of accessory"
        case .unknownOption(let option): "“\(text)” has an option “\(option)” that is not known"
        case .badValue(let part, let value): "“\(value)” is no \(part)"
        }
    }
}

/// A Bluetooth device address: six bytes, the first printed one first.
public struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// The bytes in printed order.
    public let bytes: [UInt8]

    /// An address of six bytes in printed order.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads `AA:BB:CC:DD:EE:FF`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        bytes = parts.compactMap { part in
            part.utf8.count == 2 && part.first != "+" ? UInt8(part, radix: 16) : nil
        }
        if parts.count != 6 || bytes.count != 6 { return nil }
    }

    /// `AA:BB:CC:DD:EE:FF`.
    public var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}
