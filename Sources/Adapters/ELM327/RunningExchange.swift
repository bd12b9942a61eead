import OBDCore

/// The request in progress.
struct RunningExchange: Hashable, Sendable {
    /// The part of the exchange that waits for its prompt.
    enum Part: Hashable, Sendable {
        /// A setting that the request needs.
        case preparation
        case request
        /// The harmless command after a request that writes.
        case cover
        /// Waiting for quiet, because the reply was not an answer to the request and more may follow.
        case settling
    }

    var request: AdapterRequest
    /// Whether the request was known to change nothing when it was sent.
    let isReadOnly: Bool
    var part = Part.request
    /// The text of the request, without its CR.
    var command: [UInt8]
    /// Settings that still have to be sent.
    var preparations: [String] = []
    /// Frames received while monitoring.
    var frames = 0
    /// Whether a count digit was sent.
    var withDigit = false
    /// Whether the adapter was stopped to end the exchange.
    var wasStopped = false
    /// Whether the adapter reported a restart.
    var restarted = false
    /// Whether the adapter answered `?` to a request with a digit; reported only if the digit is not the
    /// reason.
    var refused = false
    /// Whether any part of the answer was passed on.
    var delivered = false
    /// A warning before sleep, or `OK`.
    var word: AdapterStatus?
    var isDamaged = false
    /// Whether a message answered the request.
    var isAnswered = false
    /// Whether a message answered another request.
    var hasForeign = false
    /// Whether a message had a header.
    var heardECU = false
    /// The number of lines for the current part, not counting an echo.
    var lines = 0
    /// Whether a text answered another command, which means that the adapter is one prompt ahead.
    var isAhead = false
    /// How often the current setting was sent.
    var sendings = 0
    /// The current setting.
    var preparation = ""

    static let none = RunningExchange(
        request: .command(id: RequestID(rawValue: 0), text: "", mayRepeat: false),
        isReadOnly: true, command: [])

    /// Whether the request is for a single item; an adapter that refuses the digit then does not support it
    /// at all.
    var isSingle: Bool {
        guard case .vehicle(let vehicle) = request else { return false }
        return vehicle.payload.count <= 2
    }

    /// The longest time to monitor the bus; nil if this is not a monitor request.
    var listeningTime: Duration? {
        switch request {
        case .vehicle(let vehicle):
            switch vehicle.ending {
            case .reply, .silence: nil
            case .listen(_, let atMost): atMost
            }
        case .action, .command: nil
        case .monitor(_, _, let atMost, _): atMost
        }
    }

    var listens: Bool { listeningTime != nil }

    /// Whether all messages answer another request.
    var isOutOfStep: Bool { hasForeign && !isAnswered }

    /// Whether the requested number of frames was received while the adapter continues to send.
    var hasHeardEnough: Bool {
        guard listens, !wasStopped, case .vehicle(let vehicle) = request,
            case .listen(let limit, _) = vehicle.ending, let limit
        else { return false }
        return frames >= limit
    }
}
