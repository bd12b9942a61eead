import Publishing
import SystemIO

/// A connection to a server that takes lines; libcurl's, or that of a test.
protocol ServerConnection: AnyObject {
    /// Whether the last request failed because of the server's certificate.
    var isCertificateFault: Bool { get }
    /// Begins to send lines; ``answer(stop:)`` waits for the result.
    func post(_ lines: HTTPBody, to url: String)
    /// Begins to send the fields of a form.
    func post(form: ArraySlice<UInt8>, to url: String)
    /// The answer to the request; nil if `stop` was raised before.
    func answer(stop: EventDescriptor?) -> WriteAnswer?
}

extension ServerConnection {
    /// Begins to send lines, compressed.
    func post(_ lines: ArraySlice<UInt8>, to url: String) {
        post(HTTPBody(compressing: lines), to: url)
    }
}

extension HTTPClient: ServerConnection {}
