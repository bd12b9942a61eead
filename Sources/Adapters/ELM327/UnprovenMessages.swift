import OBDCore
import VehicleLink

/// Messages of ISO 14230 frames without a checksum, which count unless something contradicts them.
///
/// A frame whose checksum is missing may as well have lost a byte. A second frame without a
/// checksum shows that the adapter prints none; a frame with a checksum shows that it prints
/// checksums. After `AT H1` an ELM327 prints all checksums, so a single frame without one is
/// damaged.
package struct UnprovenMessages: Hashable, Sendable {
    private struct Held: Hashable, Sendable {
        var message: ECUMessage
        var text: String
    }

    private var held: [Held] = []
    /// Whether two consecutive frames had no checksum.
    private var lacksChecksums = false

    package init() {}

    /// Whether no message is held back.
    package var isEmpty: Bool { held.isEmpty }

    /// Delivers a message, or holds it back while it lacks proof; `text` is its line.
    package mutating func take(
        _ message: ECUMessage, hasChecksum: Bool, _ text: Span<UInt8>, _ out: inout [ReplyEvent]
    ) {
        if hasChecksum {
            lacksChecksums = false
            refute(&out)
            out.append(.message(message))
        } else if held.isEmpty, !lacksChecksums {
            held.append(Held(message: message, text: string(text)))
        } else {
            lacksChecksums = true
            release(&out)
            out.append(.message(message))
        }
    }

    /// Ends a reply; `needsProof` if checksums are expected.
    package mutating func finish(needsProof: Bool, _ out: inout [ReplyEvent]) {
        guard needsProof, !held.isEmpty, !lacksChecksums else {
            release(&out)
            return
        }
        // The next frame without a checksum is the second one.
        lacksChecksums = true
        refute(&out)
    }

    /// Delivers the messages that were held back.
    package mutating func release(_ out: inout [ReplyEvent]) {
        for one in held { out.append(.message(one.message)) }
        held.removeAll(keepingCapacity: true)
    }

    /// Reports the held messages as damaged, because they lost their last byte.
    private mutating func refute(_ out: inout [ReplyEvent]) {
        for one in held {
            let length = one.message.payload.count
            let error = LinkError(
                .length(announced: length, received: length - 1), ecu: one.message.ecu,
                line: one.message.line)
            out.append(.linkError(error, text: one.text))
        }
        held.removeAll(keepingCapacity: true)
    }
}
