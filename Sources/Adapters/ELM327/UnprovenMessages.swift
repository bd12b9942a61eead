import OBDCore
import VehicleLink

/// Messages of ISO 14230 frames without a checksum, which count unless something contradicts them.
///
/// A frame whose checksum is missing may as well have lost a byte. A second one like it shows
/// that the adapter prints none; one with a checksum shows that it does. After `AT H1` an ELM327 prints
/// them all, so that one that stays alone is damaged there.
package struct UnprovenMessages: Hashable, Sendable {
    private struct Held: Hashable, Sendable {
        var message: ECUMessage
        var text: String
    }

    private var held: [Held] = []
    /// Whether two consecutive frames had no checksum.
    private var lacksChecksums = false

    /// None is held back.
    package init() {}

    /// Whether none is held back.
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

    /// Ends a reply; `needsProof` where checksums are to be expected.
    package mutating func finish(needsProof: Bool, _ out: inout [ReplyEvent]) {
        guard needsProof, !held.isEmpty, !lacksChecksums else {
            release(&out)
            return
        }
        // The next frame without a checksum is the second one.
        lacksChecksums = true
        refute(&out)
    }

    /// Delivers what was held back.
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
