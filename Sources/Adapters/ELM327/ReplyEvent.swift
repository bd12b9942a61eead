import OBDCore
import VehicleLink

/// The meaning of a line in an adapter's reply.
package enum ReplyEvent: Hashable, Sendable {
    case message(ECUMessage)
    /// A fault; `text` is its line, if that is not the current line.
    case linkError(LinkError, text: String?)
    /// A status from the adapter instead of data.
    case status(AdapterStatus)
    case voltage(Double)
    /// A frame of a monitored bus.
    case frame(id: ECUAddress?, data: [UInt8])
    /// The protocol search or bus initialisation has begun or continues.
    case searching
    /// A banner: the adapter has restarted.
    case banner
    /// A warning before sleep, or `OK`: a status if nothing else comes.
    case word(AdapterStatus)

    /// Whether a line could not be read, or a message not be completed.
    package var isDamage: Bool {
        if case .linkError = self { true } else { false }
    }

    /// Whether the event is a frame of a monitored bus.
    var isFrame: Bool {
        if case .frame = self { true } else { false }
    }

    /// Whether the event ends a search for the protocol.
    package var isResult: Bool {
        switch self {
        case .message, .linkError, .status, .voltage, .frame, .banner: true
        case .searching, .word: false
        }
    }
}
