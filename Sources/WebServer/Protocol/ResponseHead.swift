import OBDCore

/// The first line and the fields of an answer (RFC 9112).
package struct ResponseHead: Sendable {
    package enum Status: Int, Hashable, Sendable, CaseIterable {
        case ok = 200
        case badRequest = 400
        case unauthorized = 401
        case forbidden = 403
        case notFound = 404
        case methodNotAllowed = 405
        case requestTimeout = 408
        case fieldsTooLarge = 431
        case internalError = 500
        case unavailable = 503
        case versionNotSupported = 505

        /// The reason phrase.
        package var title: String {
            switch self {
            case .ok: "OK"
            case .badRequest: "Bad Request"
            case .unauthorized: "Unauthorized"
            case .forbidden: "Forbidden"
            case .notFound: "Not Found"
            case .methodNotAllowed: "Method Not Allowed"
            case .requestTimeout: "Request Timeout"
            case .fieldsTooLarge: "Request Header Fields Too Large"
            case .internalError: "Internal Server Error"
            case .unavailable: "Service Unavailable"
            case .versionNotSupported: "HTTP Version Not Supported"
            }
        }
    }

    /// How the end of the body is marked.
    package enum Framing: Hashable, Sendable {
        /// The head gives the number of bytes.
        case length(Int)
        /// The body has chunks, so that an incomplete answer can be detected.
        case chunked
        /// The body ends with the connection, for HTTP/1.0.
        case untilClose
    }

    package var status: Status
    /// The type of the body: `text/html; charset=utf-8`.
    package var contentType: String
    /// The Content-Security-Policy; by default it allows nothing.
    package var contentPolicy = "default-src 'none'; frame-ancestors 'none'"
    /// Further fields; control characters in them are removed.
    package var fields: [(name: String, value: String)] = []

    package init(_ status: Status, _ contentType: String) {
        self.status = status
        self.contentType = contentType
    }

    /// The head on the wire, with its empty line.
    ///
    /// Every answer closes its connection and must not be cached. Foreign pages may neither embed nor read
    /// the answer.
    ///
    /// - Parameter date: when the answer was created.
    package func bytes(_ framing: Framing, date: UTC) -> [UInt8] {
        var lines = ["HTTP/1.1 \(status.rawValue) \(status.title)"]
        var all: [(name: String, value: String)] = [
            ("Content-Type", contentType), ("Content-Security-Policy", contentPolicy),
            ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "no-store"),
            ("Connection", "close"),
        ]
        if let text = DateText.text(date) { all.append(("Date", text)) }
        switch framing {
        case .length(let count): all.append(("Content-Length", String(count)))
        case .chunked: all.append(("Transfer-Encoding", "chunked"))
        case .untilClose: break
        }
        for field in all + fields {
            lines.append("\(field.name): " + Self.clean(field.value))
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Removes characters that could end a field.
    private static func clean(_ value: String) -> String {
        String(value.unicodeScalars.filter { (0x20..<0x7F).contains($0.value) }.map(Character.init))
    }
}

/// The format of a chunked answer (RFC 9112, 7.1).
package enum Chunk {
    /// A chunk; empty for no bytes, because an empty chunk is the end.
    package static func bytes(_ data: [UInt8]) -> [UInt8] {
        guard !data.isEmpty else { return [] }
        return Array((String(data.count, radix: 16) + "\r\n").utf8) + data + [0x0D, 0x0A]
    }

    package static let end = Array("0\r\n\r\n".utf8)
}
