public import OBDCore

/// The first line and the fields of an answer (RFC 9112).
public struct ResponseHead: Sendable {
    /// What came of the request.
    public enum Status: Int, Hashable, Sendable, CaseIterable {
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

        /// For people.
        public var title: String {
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

    /// How the end of what follows is told.
    public enum Framing: Hashable, Sendable {
        /// By its number of bytes.
        case length(Int)
        /// By chunks: an answer that broke off can be told from a whole one.
        case chunked
        /// By the end of the connection, for HTTP/1.0.
        case untilClose
    }

    /// What came of the request.
    public var status: Status
    /// What the answer is made of: `text/html; charset=utf-8`.
    public var contentType: String
    /// What a browser may do with it; without, nothing.
    public var contentPolicy = "default-src 'none'; frame-ancestors 'none'"
    /// Further fields; what is not text in them is left out.
    public var fields: [(name: String, value: String)] = []

    /// A head.
    public init(_ status: Status, _ contentType: String) {
        self.status = status
        self.contentType = contentType
    }

    /// The head on the wire, with its empty line.
    ///
    /// Every answer ends its connection, is kept by nobody, and may be neither framed nor read by
    /// pages of others.
    ///
    /// - Parameter date: when it was made.
    public func bytes(_ framing: Framing, date: UTC) -> [UInt8] {
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

    /// Without anything that could end a field.
    private static func clean(_ value: String) -> String {
        String(value.unicodeScalars.filter { (0x20..<0x7F).contains($0.value) }.map(Character.init))
    }
}

/// The pieces of a chunked answer (RFC 9112, 7.1).
public enum Chunk {
    /// A chunk; nothing for no bytes, which would be the end.
    public static func bytes(_ data: [UInt8]) -> [UInt8] {
        guard !data.isEmpty else { return [] }
        return Array((String(data.count, radix: 16) + "\r\n").utf8) + data + [0x0D, 0x0A]
    }

    /// The end.
    public static let end = Array("0\r\n\r\n".utf8)
}
