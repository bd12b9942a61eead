/// The address of an adapter in the form of `-d`, for any of the transports.
///
/// ``TransportRegistry/address(_:)`` reads an address.
public struct AccessoryAddress: Hashable, Sendable, CustomStringConvertible {
    /// The transport that opens this address.
    public let transport: any Transport

    /// Wraps the address of a transport.
    public init(_ transport: some Transport) {
        self.transport = transport
    }

    /// The form that is printed as `id` and that `-d` accepts again.
    public var description: String { transport.description }

    /// Whether both are the same address of the same transport.
    public static func == (one: AccessoryAddress, other: AccessoryAddress) -> Bool {
        one.transport.isEqual(to: other.transport)
    }

    /// Hashes the transport's address.
    public func hash(into hasher: inout Hasher) { transport.hash(into: &hasher) }
}

extension Transport {
    fileprivate func isEqual(to other: any Transport) -> Bool { other as? Self == self }
}

/// A fault in the address of an adapter.
public struct AddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault.
    public enum Fault: Hashable, Sendable {
        /// A required part is missing.
        case missing(String)
        /// The word before the colon is not a known kind of adapter.
        case unknownScheme(String)
        /// This kind of address does not have this option.
        case unknownOption(String)
        /// A part of the address, and its value, which is not valid.
        case badValue(String, String)
        /// A plain name that no transport knows.
        case name
        /// A path without a scheme; no transport accepts such a path.
        case path
    }

    /// The fault.
    public var fault: Fault
    /// The whole address as the user wrote it.
    public var text: String

    /// Describes a fault in `text`.
    public init(_ fault: Fault, in text: String) {
        self.fault = fault
        self.text = text
    }

    /// The error in one line.
    public var description: String { reason }

    /// One sentence for the user.
    public var reason: String {
        switch fault {
        case .missing(let part): "\"\(text)\" names no \(part)"
        case .unknownScheme(let scheme): "\"\(scheme):\" is not a known kind of device"
        case .unknownOption(let option): "\"\(text)\" has the unknown option \"\(option)\""
        case .badValue(let part, let value): "\"\(value)\" is not a valid \(part)"
        case .name: "no device is called \"\(text)\""
        case .path: "\"\(text)\" is a path, and no kind of device is a path alone"
        }
    }
}

/// Parts of addresses that several transports share.
enum AddressPart {
    /// Splits the text into the part before `?` and the options after it: `a=1&b=2`.
    ///
    /// - Parameter names: the options that are allowed.
    static func options(
        of rest: Substring, _ names: [String], in text: String
    ) throws(AddressError) -> (place: Substring, options: [(name: String, value: Substring)]) {
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var options: [(name: String, value: Substring)] = []
        for option in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, names.contains(String(pair[0])) else {
                throw AddressError(.unknownOption(String(pair[0])), in: text)
            }
            options.append((String(pair[0]), pair[1]))
        }
        return (parts[0], options)
    }

    /// Reads a number of digits only; `Int` would also accept a sign.
    static func decimal(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    /// Reads `HOST`, `HOST:PORT`, `[IPv6]` or `[IPv6]:PORT`; the port is nil if the text has none.
    static func hostAndPort(
        _ rest: Substring, of text: String
    ) throws(AddressError) -> (host: String, port: UInt16?) {
        var host = rest
        var port: Substring?
        if rest.hasPrefix("[") {
            guard let close = rest.firstIndex(of: "]") else {
                throw AddressError(.badValue("host", String(rest)), in: text)
            }
            host = rest[rest.index(after: rest.startIndex)..<close]
            let after = rest[rest.index(after: close)...]
            port = after.hasPrefix(":") ? after.dropFirst() : nil
        } else if let colon = rest.lastIndex(of: ":") {
            host = rest[..<colon]
            port = rest[rest.index(after: colon)...]
            // In an IPv6 address without brackets it is not clear which colon starts the port.
            if host.contains(":") { throw AddressError(.badValue("host", String(rest)), in: text) }
        }
        if host.isEmpty { throw AddressError(.missing("host"), in: text) }
        guard let port else { return (String(host), nil) }
        guard let number = decimal(port), (1...65_535).contains(number) else {
            throw AddressError(.badValue("port", String(port)), in: text)
        }
        return (String(host), UInt16(number))
    }

    /// `HOST:PORT`, with brackets around an IPv6 address.
    static func text(host: String, port: UInt16?) -> String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }
}
