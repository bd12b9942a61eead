import CEngines
import Publishing
import SystemIO

/// One connection to an HTTP server through libcurl.
///
/// Use a client only on one thread. The client always verifies certificates and host names.
package final class HTTPClient {
    /// The settings of all requests.
    package struct Setup: Sendable {
        /// The value of the Authorization header; nil = none.
        package var authorization: String?
        /// `user:password`; nil = none.
        package var userPassword: String?
        /// A file with trusted certificates; nil = those of the system.
        package var caFile: String?
        /// The user's token and this program's key at A Better Route Planner; nil for other servers.
        package var telemetry: (token: String, key: String)?
        /// The time limit for an answer.
        package var timeout: Duration

        /// The texts that no message may repeat.
        fileprivate var secrets: KnownSecrets {
            let token = authorization?.split(separator: " ").last.map(String.init)
            // The user's name is not secret.
            let password = userPassword?.split(separator: ":", maxSplits: 1).dropFirst().first
            return KnownSecrets(
                [
                    token, userPassword, password.map(String.init), telemetry?.token,
                    telemetry?.key,
                ].compactMap(\.self))
        }

        /// Settings; the defaults have no credentials and use the system's certificates.
        package init(
            authorization: String? = nil, userPassword: String? = nil, caFile: String? = nil,
            timeout: Duration = .seconds(60)
        ) {
            self.authorization = authorization
            self.userPassword = userPassword
            self.caFile = caFile
            self.timeout = timeout
        }
    }

    private let handle: OpaquePointer
    private let setup: Setup
    /// The bytes to send; libcurl reads them in place.
    private var body: HTTPBody?

    /// Loads the library; call this function before any thread exists.
    package static func open() throws(EngineError) {
        guard eng_http_open() == 0 else {
            throw .missingLibrary("HTTP", packages: "libcurl4 zlib1g")
        }
    }

    /// A client; the library must be loaded.
    package init(_ setup: Setup) throws(EngineError) {
        guard let handle = eng_http_new() else { throw .noMemory }
        self.handle = handle
        self.setup = setup
        let milliseconds = Int(setup.timeout.components.seconds) * 1000
        guard
            eng_http_setup(
                handle, "obdscan", setup.caFile, setup.userPassword, 20_000, max(1000, milliseconds)
            ) == 0
        else {
            eng_http_free(handle)
            throw .noMemory
        }
    }

    deinit { eng_http_free(handle) }

    /// Begins to send lines that are compressed already.
    func post(_ lines: HTTPBody, to url: String) {
        body = lines
        let headers =
            ["Content-Type: text/plain; charset=utf-8"]
            + (lines.isCompressed ? ["Content-Encoding: gzip"] : [])
        begin(url, headers, UnsafePointer(lines.bytes.baseAddress), lines.size)
    }

    /// Begins to send one item.
    func post(_ item: ArraySlice<UInt8>, as form: ItemForm, to url: String) {
        let content = HTTPBody(setup.telemetry.map { Self.form(item, $0) } ?? item)
        body = content
        begin(
            url, ["Content-Type: \(form.rawValue)"],
            UnsafePointer(content.bytes.baseAddress), content.size)
    }

    /// The fields of a point; no message and no file has the secrets.
    private static func form(
        _ point: ArraySlice<UInt8>, _ secrets: (token: String, key: String)
    ) -> ArraySlice<UInt8> {
        let fields = [
            ("tlm", String(decoding: point, as: UTF8.self)), ("token", secrets.token),
            ("api_key", secrets.key),
        ]
        let text = fields.map { "\($0)=\(KnownSecrets.percentEncoded($1, true))" }
            .joined(separator: "&")
        return Array(text.utf8)[...]
    }

    private func begin(
        _ url: String, _ headers: [String], _ bytes: UnsafePointer<UInt8>?, _ size: Int
    ) {
        let all = headers + (setup.authorization.map { [$0] } ?? [])
        let lines = all.map { ContiguousArray($0.utf8CString) }
        withPointers(lines[...], []) { pointers in
            _ = eng_http_begin(handle, url, pointers, pointers.count, bytes, size)
        }
    }

    /// Calls `body` with pointers to C strings.
    private func withPointers(
        _ lines: ArraySlice<ContiguousArray<CChar>>, _ found: [UnsafePointer<CChar>?],
        _ body: ([UnsafePointer<CChar>?]) -> Void
    ) {
        guard let line = lines.first else { return body(found) }
        line.withUnsafeBufferPointer {
            withPointers(lines.dropFirst(), found + [$0.baseAddress], body)
        }
    }

    /// The answer to the request; nil if `stop` was raised before.
    package func answer(stop: EventDescriptor?) -> WriteAnswer? {
        while true {
            switch eng_http_drive(handle, stop?.descriptor ?? -1, 1000) {
            case 1: return ended
            case 0: if let stop, stop.isRaised { return cancel() }
            default: return .none("the request could not be sent")
            }
        }
    }

    private func cancel() -> WriteAnswer? {
        eng_http_cancel(handle)
        return nil
    }

    private var ended: WriteAnswer {
        let status = eng_http_status(handle)
        guard status > 0 else {
            let words = setup.secrets.removed(from: String(cString: eng_http_error(handle)))
            isCertificateFault = eng_http_is_certificate_fault(handle) != 0
            return .none(words)
        }
        isCertificateFault = false
        let retry = String(cString: eng_http_retry_after(handle))
        return .status(
            status, text: setup.secrets.removed(from: text), retryAfter: retry.isEmpty ? nil : retry
        )
    }

    /// Whether the last request failed because of the server's certificate.
    package private(set) var isCertificateFault = false

    private var text: String {
        var size = 0
        guard let bytes = eng_http_body(handle, &size) else { return "" }
        return bytes.withMemoryRebound(to: UInt8.self, capacity: size) {
            String(decoding: UnsafeBufferPointer(start: $0, count: size), as: UTF8.self)
        }
    }

    /// Requests a resource and passes the answer's body to `take` in pieces.
    package func get(
        _ url: String, stop: EventDescriptor? = nil,
        _ take: @escaping (UnsafeRawBufferPointer) -> Void
    ) -> WriteAnswer? {
        // Not withoutActuallyEscaping: it adds the length of the source file's path to the program.
        var box = take
        return withUnsafeMutablePointer(to: &box) { pointer in
            eng_http_take(
                handle,
                { context, bytes, size in
                    context?.assumingMemoryBound(
                        to: ((UnsafeRawBufferPointer) -> Void).self
                    ).pointee(UnsafeRawBufferPointer(start: bytes, count: size))
                }, pointer)
            defer { eng_http_take(handle, nil, nil) }
            begin(url, [], nil, 0)
            return answer(stop: stop)
        }
    }
}

/// The body of a request; libcurl reads it in place.
final class HTTPBody {
    let bytes: UnsafeMutableBufferPointer<UInt8>
    let size: Int
    let isCompressed: Bool

    init(_ content: ArraySlice<UInt8>) {
        bytes = .allocate(capacity: max(1, content.count))
        _ = bytes.initialize(from: content)
        size = content.count
        isCompressed = false
    }

    /// Lines, compressed if that makes them shorter.
    init(compressing lines: ArraySlice<UInt8>) {
        bytes = .allocate(capacity: lines.count + 64)
        let room = bytes
        let compressed = lines.withUnsafeBytes {
            eng_gzip($0.baseAddress, $0.count, room.baseAddress, room.count)
        }
        isCompressed = compressed > 0
        size = compressed > 0 ? compressed : lines.count
        if compressed == 0 { _ = bytes.initialize(from: lines) }
    }

    deinit { bytes.deallocate() }
}

extension EventDescriptor {
    /// Whether the event is set; does not reset it.
    var isRaised: Bool {
        var set = PollSet()
        set.add(descriptor)
        return (try? set.wait(until: .zero)).map { $0 > 0 } ?? false
    }
}

extension HTTPClient {
    /// Why a sink cannot be written to; nil if it can.
    ///
    /// The check sends no lines: any answer of the server, even a refusal, proves that the server
    /// can be reached. A webhook gets an event of the kind `test`.
    package func fault(of address: SinkAddress) -> SinkEnd? {
        let test = address.kind.isWebhook ? Array(#"{"kind":"test"}"#.utf8) : []
        post(test[...], as: ItemForm(address.kind) ?? .fields, to: address.writeURL)
        guard let answer = answer(stop: nil) else { return nil }
        switch WriteDecision(answer, of: address.kind) {
        case .accepted, .acceptedInPart, .halve: return nil
        case .stop(let reason, let words): return .refused(reason, words)
        case .again(let words, _):
            return isCertificateFault ? .refused(.certificate, words) : .unreachable(words)
        }
    }
}
