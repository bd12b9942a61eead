import OBDCore

/// One request under way.
struct RunningExchange: Hashable, Sendable {
    /// What waits for its prompt.
    enum Part: Hashable, Sendable {
        /// A setting that the request needs.
        case preparation
        /// The request itself.
        case request
        /// The harmless command after a request that writes.
        case cover
        /// Quiet: what came was no answer to the request, and more may be under way.
        case settling
    }

    var request: AdapterRequest
    /// Whether it was known to change nothing when it was sent.
    let isReadOnly: Bool
    var part = Part.request
    /// The request as typed, without its CR.
    var command: [UInt8]
    /// Settings still to be made.
    var preparations: [String] = []
    /// Frames seen while listening.
    var frames = 0
    /// Whether a count digit was sent.
    var withDigit = false
    /// Whether the adapter has to be stopped to end the exchange, and was.
    var wasStopped = false
    /// Whether the adapter said that it restarted.
    var restarted = false
    /// Whether it answered `?` to a request with a digit; told only if the digit is not to blame.
    var refused = false
    /// Whether anything of the answer was passed on.
    var delivered = false
    /// Whether a damaged line was among it.
    var isDamaged = false
    /// Whether a message came that answers the request.
    var isAnswered = false
    /// Whether a message came that answers another one.
    var hasForeign = false
    /// Whether a message came after a header.
    var heardECU = false
    /// Lines that came for the part under way, an echo aside.
    var lines = 0
    /// Whether a word came that answers another command: the adapter is a prompt ahead.
    var isAhead = false
    /// How often the preparation under way was sent.
    var sendings = 0
    /// The preparation under way.
    var preparation = ""

    /// Nothing under way.
    static let none = RunningExchange(
        request: .command(id: RequestID(rawValue: 0), text: "", mayRepeat: false),
        isReadOnly: true, command: [])

    /// Whether it asks for one item: what refuses a digit there knows none at all.
    var isSingle: Bool {
        guard case .vehicle(let vehicle) = request else { return false }
        return vehicle.payload.count <= 2
    }

    /// How long the bus is listened to at most; nil = it is not.
    var listeningTime: Duration? {
        switch request {
        case .vehicle(let vehicle):
            switch vehicle.ending {
            case .reply: nil
            case .listen(_, let atMost): atMost
            }
        case .action, .command: nil
        case .monitor(_, _, let atMost): atMost
        }
    }

    var listens: Bool { listeningTime != nil }

    /// Whether every message answers another request.
    var isOutOfStep: Bool { hasForeign && !isAnswered }

    /// Whether as many frames were heard as were to be listened for, and the adapter goes on.
    var hasHeardEnough: Bool {
        guard listens, !wasStopped, case .vehicle(let vehicle) = request,
            case .listen(let limit, _) = vehicle.ending, let limit
        else { return false }
        return frames >= limit
    }
}
