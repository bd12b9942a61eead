import Publishing
import SystemIO

/// A connection to a server that takes lines; libcurl's, or that of a test.
protocol ServerConnection: AnyObject {
    /// Whether the last request failed because of the server's certificate.
    var isCertificateFault: Bool { get }
    /// Begins to send lines; ``answer(stop:)`` waits for the result.
    func post(_ lines: HTTPBody, to url: String)
    /// Begins to send one item: the fields of a form, or an object.
    func post(_ item: ArraySlice<UInt8>, as form: ItemForm, to url: String)
    /// The answer to the request; nil if `stop` was raised before.
    func answer(stop: EventDescriptor?) -> WriteAnswer?
}

extension ServerConnection {
    /// Begins to send lines, compressed.
    func post(_ lines: ArraySlice<UInt8>, to url: String) {
        post(HTTPBody(compressing: lines), to: url)
    }
}

/// The form of a request with one item; the raw value is its content type.
enum ItemForm: String, Sendable {
    case fields = "application/x-www-form-urlencoded"
    case json = "application/json"

    /// The form that a sink needs; nil for one that takes many lines at once.
    init?(_ kind: SinkAddress.Kind) {
        if kind.isTraccar || kind.isABRP {
            self = .fields
        } else if kind.isWebhook {
            self = .json
        } else {
            return nil
        }
    }
}

extension HTTPClient: ServerConnection {}
