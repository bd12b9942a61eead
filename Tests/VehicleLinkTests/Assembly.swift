import OBDCore
import TestSupport
import VehicleLink

/// The result of an assembler for a sequence of frames.
struct Assembly {
    var messages: [ECUMessage] = []
    var errors: [LinkError] = []

    init(_ assembler: MessageAssembler, _ frames: [LinkFrame]) {
        var assembler = assembler
        for (index, frame) in frames.enumerated() {
            var frame = frame
            frame.line = index + 1
            do throws(LinkError) {
                if let message = try assembler.receive(frame) { messages.append(message) }
            } catch {
                errors.append(error)
            }
            errors += assembler.takeErrors()
        }
        errors += assembler.finish()
    }
}

extension LinkFrame {
    /// A CAN frame with an 11-bit identifier.
    static func can(_ id: UInt32, _ bytes: [UInt8]) -> LinkFrame {
        LinkFrame(header: ECUAddress(id, .can11), bytes: InlineBytes(bytes))
    }

    /// A frame of a protocol before CAN.
    static func legacy(_ bytes: [UInt8]) -> LinkFrame {
        LinkFrame(header: nil, bytes: InlineBytes(bytes))
    }
}

/// Merges sequences into one and keeps the order within each.
func interleaved(
    _ sequences: [[LinkFrame]], using generator: inout SeededGenerator
) -> [LinkFrame] {
    var rest = sequences.map { $0[...] }.filter { !$0.isEmpty }
    var merged: [LinkFrame] = []
    while !rest.isEmpty {
        let index = Int.random(in: rest.indices, using: &generator)
        merged.append(rest[index].removeFirst())
        if rest[index].isEmpty { rest.remove(at: index) }
    }
    return merged
}
