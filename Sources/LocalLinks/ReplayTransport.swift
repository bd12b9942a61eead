import Accessory
import Adapters
import Simulator

/// `replay:FILE`: an adapter that answers from a recording.
struct ReplayTransport: Transport {
    /// The path of the transcript or of a conversation in text form.
    var path: String

    static let form = TransportForm("replay", short: "replay:FILE", takesFile: true)
    static let offers = [AddressOffer("replay:", about: "a recording")]

    init(_ rest: Substring, of text: String) throws(AddressError) {
        if rest.isEmpty { throw AddressError(.missing("file"), in: text) }
        path = String(rest)
    }

    var description: String { "replay:\(path)" }
    var isServedHere: Bool { true }
    var recording: String? { path }

    /// The wire protocol of the recording, if it is not an ELM327.
    var protocols: [String] {
        guard let adapter = try? ReplayLink.adapter(reading: path) else { return [] }
        return adapter.protocols
    }

    func connector() throws(AccessoryError) -> Connector {
        do throws(LocalLinkFault) {
            return try ReplayLink.connector(path: path)
        } catch {
            throw AccessoryError(error)
        }
    }

    func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        try connector().open(within: limit, cancelledBy: cancel)
    }
}
