import Adapters
import Diagnostics
import Formats
import OBDCore
import ScanSession
import TripStore

extension ReadingBatch {
    /// The faults of the exchange, to be recorded in the trip.
    ///
    /// Refusals and decoding errors are among the items already.
    public var faults: [TripEvent] {
        if statuses.isEmpty && linkErrors.isEmpty && strayTexts.isEmpty && unasked.isEmpty
            && failure == nil
        {
            return []
        }
        let request = exchange.request.map { Hex.string($0) }
        let service = exchange.request?.first.map { Service($0) }
        var events: [TripEvent] = []
        for status in statuses {
            events.append(
                TripEvent(
                    .adapterStatus, text: status.text, service: service, code: status.rawValue))
        }
        for error in linkErrors {
            events.append(
                TripEvent(.linkError, text: error.reason, ecu: error.ecu, service: service))
        }
        for text in strayTexts {
            events.append(
                TripEvent(
                    .linkError, text: "no answer to \(request ?? "a command"): \(printable(text))",
                    service: service))
        }
        for message in unasked {
            events.append(
                TripEvent(
                    .linkError,
                    text: "\(request ?? "a command") was asked, answered was "
                        + Hex.string(message.payload),
                    ecu: message.ecu, service: service))
        }
        if let failure, let event = failure.event(request, service) { events.append(event) }
        return events
    }
}

extension ReadingBatch.Fault {
    /// The row of a failed exchange; nil if it is recorded elsewhere or is not a fault.
    fileprivate func event(_ request: String?, _ service: Service?) -> TripEvent? {
        let asked = request ?? "a command"
        return switch self {
        case .timedOut:
            TripEvent(.timeout, text: "no complete answer to \(asked) in time", service: service)
        case .adapterRestarted, .restartedBeforeSending:
            TripEvent(
                .linkError, text: "the adapter restarted while \(asked) was asked",
                service: service)
        case .flooded:
            TripEvent(
                .linkError, text: "the reply to \(asked) was longer than any answer",
                service: service
            )
        case .outOfStep:
            TripEvent(
                .linkError, text: "the answer belongs to another request than \(asked)",
                service: service)
        // A lost link has its own row; a stop and an unsent request are not faults.
        case .linkLost, .stopped, .notSent: nil
        }
    }
}

/// Finds periods of a trip without answers from any ECU.
public struct SilenceWatch: Sendable {
    /// Shorter periods do not count.
    public let limit: Duration
    private var last: Instant?

    /// A watch for a vehicle that is polled at least every `period`; nil = continuously.
    public init(asked period: Duration?) {
        // When polling once per minute, ten seconds without an answer are normal.
        limit = max(.seconds(10), (period ?? .zero) * 3)
    }

    /// Records an answer; returns the preceding silence and its start, if it was long enough.
    public mutating func answered(at instant: Instant) -> (event: TripEvent, start: Instant)? {
        defer { last = instant }
        guard let last, instant - last > limit else { return nil }
        let seconds = (instant - last).seconds
        return (
            TripEvent(
                .gap, text: "no ECU answered for \(durationText(seconds))", duration: instant - last
            ),
            last
        )
    }
}
