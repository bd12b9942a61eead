/// Why a request is refused.
package enum RequestRefusal: Error, Hashable, Sendable {
    /// The request violates RFC 9112, or a browser would not send it.
    case malformed
    /// The head of the request is longer than ``RequestReader/longestHead``, or has too many fields.
    case tooLong
    /// The version of HTTP is not 1.0 or 1.1.
    case version
}

/// Extracts the head of a request from received pieces; the bytes after it are ignored.
package struct RequestReader: Sendable {
    /// The greatest length of a head; unit: bytes.
    package static let longestHead = 16_384

    private var bytes: [UInt8] = []
    private var hasBegun = false
    private var outcome: Result<RequestHead, RequestRefusal>?

    /// A reader without data.
    package init() {}

    /// Whether anything arrived.
    package var isEmpty: Bool { bytes.isEmpty }

    /// Takes bytes; returns the head when it is complete, nil before.
    ///
    /// - Throws: ``RequestRefusal``, also in every later call.
    package mutating func take(_ new: some Collection<UInt8>) throws(RequestRefusal) -> RequestHead?
    {
        if let outcome { return try outcome.get() }
        var start = max(0, bytes.count - 3)
        bytes.append(contentsOf: new.prefix(Self.longestHead - bytes.count))
        // Allow one empty line before a request (RFC 9112, 2.2).
        if !hasBegun, bytes.count >= 2 {
            hasBegun = true
            if bytes.starts(with: [0x0D, 0x0A]) {
                bytes.removeFirst(2)
                start = 0
            }
        }
        guard let end = Self.end(of: bytes, from: start) else {
            if bytes.count < Self.longestHead { return nil }
            outcome = .failure(.tooLong)
            throw .tooLong
        }
        let result: Result<RequestHead, RequestRefusal>
        do throws(RequestRefusal) {
            result = .success(try RequestHead(bytes[..<end]))
        } catch {
            result = .failure(error)
        }
        outcome = result
        return try result.get()
    }

    /// The position of the empty line after the head.
    private static func end(of bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= start + 4 else { return nil }
        for place in start...(bytes.count - 4)
        where bytes[place] == 0x0D && bytes[place + 1] == 0x0A && bytes[place + 2] == 0x0D
            && bytes[place + 3] == 0x0A
        {
            return place
        }
        return nil
    }
}
