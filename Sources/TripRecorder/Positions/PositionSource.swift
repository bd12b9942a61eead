/// A source of positions in the form of `--gps`.
public enum PositionSource: Hashable, Sendable {
    /// gpsd's JSON protocol on a TCP port.
    case gpsd(host: String, port: UInt16)
    /// NMEA 0183 on a serial line, a pty, a pipe or in a file; unit of `rate`: bit/s, nil = detect.
    case nmea(path: String, rate: Int?)

    /// gpsd's port.
    public static let gpsdPort: UInt16 = 2947

    /// Parses `gpsd://HOST[:PORT]`, `gpsd:`, `serial:PATH?baud=RATE` or a path; nil for anything
    /// else.
    public init?(_ text: String) {
        if text.hasPrefix("gpsd:") {
            var rest = text.dropFirst(5)
            if rest.hasPrefix("//") { rest = rest.dropFirst(2) }
            // gpsd's clients add a device after the port; only an empty one is accepted here.
            while rest.hasSuffix("/") { rest = rest.dropLast() }
            guard let found = Self.place(rest) else { return nil }
            self = .gpsd(host: found.host, port: found.port)
            return
        }
        var path = text[...]
        if path.hasPrefix("serial:") { path = path.dropFirst(7) }
        var rate: Int?
        if let question = path.firstIndex(of: "?"), path.contains("/") {
            let option = path[path.index(after: question)...]
            guard option.hasPrefix("baud="), let number = Self.number(option.dropFirst(5)),
                (300...4_000_000).contains(number)
            else { return nil }
            rate = number
            path = path[..<question]
        }
        guard let slash = path.firstIndex(of: "/"),
            // `http://…` is not a path.
            path.firstIndex(of: ":").map({ $0 > slash }) ?? true
        else { return nil }
        self = .nmea(path: String(path), rate: rate)
    }

    private static func place(_ text: Substring) -> (host: String, port: UInt16)? {
        if text.isEmpty { return ("localhost", gpsdPort) }
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<close]
            let behind = text[text.index(after: close)...]
            guard behind.isEmpty || behind.hasPrefix(":") else { return nil }
            port = behind.isEmpty ? nil : behind.dropFirst()
        } else if let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
            if host.contains(":") { return nil }
        }
        guard !host.contains("/"), let port else {
            return host.isEmpty || host.contains("/") ? nil : (String(host), gpsdPort)
        }
        guard let number = number(port), (1...65_535).contains(number) else { return nil }
        return (host.isEmpty ? "localhost" : String(host), UInt16(number))
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}

extension PositionSource: CustomStringConvertible {
    /// The form that can be given to `--gps` again.
    public var description: String {
        switch self {
        case .gpsd(let host, let port):
            host.contains(":") ? "gpsd://[\(host)]:\(port)" : "gpsd://\(host):\(port)"
        case .nmea(let path, let rate): path + (rate.map { "?baud=\($0)" } ?? "")
        }
    }
}
