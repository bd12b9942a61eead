/// The first line and the fields of an HTTP/1.1 request (RFC 9112).
package struct RequestHead: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        /// The name in lower case.
        package var name: String
        /// The value without surrounding blanks.
        package var value: String
    }

    /// A query parameter: `name=value`.
    package struct QueryItem: Hashable, Sendable {
        package var name: String
        /// The decoded value; empty without one.
        package var value: String
    }

    /// The method, such as `GET`.
    package var method: String
    /// The decoded segments of the path; empty for `/`.
    ///
    /// No segment is `.` or `..`, and none contains a slash, a backslash or a control character.
    package var path: [String]
    /// The query parameters in their order.
    package var query: [QueryItem]
    /// Whether the request is one of HTTP/1.0; that version does not know chunks.
    package var isOld: Bool
    /// The fields in their order.
    package var fields: [Field]

    /// The only value of a field; nil if there is none, or several.
    package func value(_ name: String) -> String? {
        let found = fields.filter { $0.name == name }
        return found.count == 1 ? found.first?.value : nil
    }

    /// The first value of a query parameter.
    package func queryValue(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// Whether only the head of the answer is requested.
    package var isHeadOnly: Bool { method == "HEAD" }

    /// Whether a body follows the head.
    package var hasBody: Bool {
        fields.contains {
            $0.name == "transfer-encoding" || $0.name == "content-length" && $0.value != "0"
        }
    }
}

extension RequestHead {
    static let mostFields = 100

    /// Fields about the sender or the length of the request, which must not occur twice.
    ///
    /// With two values, two readers could use different ones. A browser sends each of these fields once (RFC
    /// 6265, 5.4, for `Cookie`).
    static let single = [
        "origin", "referer", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest",
        "sec-fetch-user", "content-length", "transfer-encoding", "authorization", "cookie",
        "connection", "upgrade",
    ]

    /// Parses a head without its last two line ends.
    init(_ bytes: some Collection<UInt8>) throws(RequestRefusal) {
        var lines: [[UInt8]] = [[]]
        var isEnding = false
        for byte in bytes {
            switch (isEnding, byte) {
            case (true, 0x0A):
                lines.append([])
                isEnding = false
            case (true, _): throw .malformed
            case (false, 0x0D): isEnding = true
            // A tab is the only control character that a field may contain.
            case (false, 0x00..<0x09), (false, 0x0A..<0x20), (false, 0x7F): throw .malformed
            case (false, _): lines[lines.count - 1].append(byte)
            }
        }
        if isEnding { throw .malformed }
        guard lines.count <= Self.mostFields + 1 else { throw .tooLong }
        let first = lines[0].split(separator: 0x20, omittingEmptySubsequences: false)
        guard first.count == 3, !first[0].isEmpty, first[0].count <= 20,
            first[0].allSatisfy(Self.isToken)
        else { throw .malformed }
        let version = String(decoding: first[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw version.hasPrefix("HTTP/") ? .version : .malformed
        }
        let (authority, origin) = Self.parts(ofTarget: first[1])
        let target = try RequestTarget(origin)
        var fields: [Field] = []
        for line in lines.dropFirst() { fields.append(try Field(line)) }
        guard fields.count(where: { $0.name == "host" }) == 1 else { throw .malformed }
        for name in Self.single where fields.count(where: { $0.name == name }) > 1 {
            throw .malformed
        }
        if let authority {
            // The host of an absolute target has priority over the field (RFC 9112, 3.2.2).
            fields.removeAll { $0.name == "host" }
            fields.append(Field(name: "host", value: String(decoding: authority, as: UTF8.self)))
        }
        self.init(
            method: String(decoding: first[0], as: UTF8.self), path: target.path,
            query: target.query, isOld: version == "HTTP/1.0", fields: fields)
    }

    /// Splits an absolute target (`http://host:8080/path`) into the host and the rest.
    private static func parts(
        ofTarget target: ArraySlice<UInt8>
    ) -> (authority: ArraySlice<UInt8>?, origin: ArraySlice<UInt8>) {
        let scheme = "http://"
        guard String(decoding: target.prefix(scheme.count), as: UTF8.self).lowercased() == scheme
        else { return (nil, target) }
        let rest = target.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != 0x2F && $0 != 0x3F }
        let origin = rest[authority.endIndex...]
        return (authority, origin.first == 0x2F ? origin : [0x2F] + origin)
    }

    /// Whether a method or a field's name may contain the byte.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: false
        }
    }
}

extension RequestHead.Field {
    /// Parses a line; refuses folded lines and blanks before the colon.
    init(_ line: [UInt8]) throws(RequestRefusal) {
        guard let colon = line.firstIndex(of: 0x3A), colon > 0,
            line[..<colon].allSatisfy(RequestHead.isToken)
        else { throw .malformed }
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let value = line[(colon + 1)...].drop(while: isBlank)
        let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? value.startIndex
        name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        self.value = String(decoding: value[..<end], as: UTF8.self)
    }
}
