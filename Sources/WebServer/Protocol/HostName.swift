/// The `Host` of a request, or the host of an origin: `localhost:8327`, `[::1]:8327`.
package struct HostName: Hashable, Sendable {
    /// The name in lower case without port and without a trailing dot; IPv6 in brackets.
    package var name: String
    /// The port; nil without one.
    package var port: UInt16?

    /// Parses `name`, `name:port`, `[address]`, `[address]:port`; nil for anything else.
    package init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        var name: [UInt8] = []
        if rest.first == 0x5B {
            guard let end = rest.firstIndex(of: 0x5D) else { return nil }
            name = Array(rest[...end])
            rest = rest[(end + 1)...]
            let inside = name.dropFirst().dropLast()
            guard inside.count >= 2, inside.allSatisfy(Self.isAddressByte) else { return nil }
        } else {
            name = Array(rest.prefix { $0 != 0x3A })
            rest = rest.dropFirst(name.count)
            if name.last == 0x2E { name.removeLast() }
            guard !name.isEmpty, name.count <= 253, name.allSatisfy(Self.isNameByte) else {
                return nil
            }
        }
        self.name = String(decoding: name, as: UTF8.self).lowercased()
        if rest.isEmpty { return }
        guard rest.first == 0x3A, rest.count > 1,
            let port = UInt16(String(decoding: rest.dropFirst(), as: UTF8.self)),
            rest.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        self.port = port
    }

    /// Whether the name is an address, so that no name server can redirect it.
    package var isAddress: Bool { name.hasPrefix("[") || isIPv4 }

    /// Whether the host is this machine: `localhost`, 127.0.0.0/8, `[::1]`.
    package var isLoopback: Bool {
        name == "localhost" || name == "[::1]" || isIPv4 && name.hasPrefix("127.")
    }

    private var isIPv4: Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count)
                    && part.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8(part) != nil
            }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3A, 0x41...0x46, 0x61...0x66, 0x2E: true
        default: false
        }
    }
}
