import Diagnostics
import OBDCore

/// The first frames of a log whose bus may speak SAE J1939; they wait until it shows its protocol.
package struct WaitingFrames: Sendable {
    /// A frame with the number of its line.
    package struct Numbered: Sendable {
        package var frame: LoggedFrame
        package var line: Int
    }

    /// The treatment of a frame.
    package enum Outcome: Sendable {
        /// The frame need not wait.
        case passed
        /// The frame waits.
        case waits
        /// These frames, the last of which is the frame, wait no more.
        case released([Numbered])
    }

    /// The most frames that wait for their protocol, and the time in the log for which they wait; unit:
    /// microseconds.
    private static let most = 65_536
    private static let longest: Int64 = 10_000_000
    /// More buses than any log has; the others share the last one.
    private static let mostBuses = 64

    private let table: PIDTable
    private var evidence: [ArraySlice<UInt8>: J1939Evidence] = [:]
    /// The bus of the last frame with 11 bits that need not wait.
    private var passed: ArraySlice<UInt8>?
    /// The frames from the first one on that may be of SAE J1939; nil if no frame waits any more.
    private var waiting: [Numbered]? = []

    /// No frame; groups of `table` show the protocol.
    package init(_ table: PIDTable) { self.table = table }

    /// Whether the bus of a frame has shown that it speaks SAE J1939; nil if it has not.
    package func isShown(_ frame: LoggedFrame) -> Bool? {
        evidence[bus(of: frame)]?.isShown == true ? true : nil
    }

    /// Takes the next frame.
    package mutating func take(_ frame: LoggedFrame, line: Int) -> Outcome {
        // Another frame with 11 bits shows nothing more.
        if !frame.isExtended, !isWaiting, passed == frame.channel { return .passed }
        let bus = bus(of: frame)
        if evidence[bus]?.isShown == true { return .passed }
        let mayBe = evidence[bus, default: J1939Evidence(table)].note(frame)
        // ECUs claim their addresses before they send anything else.
        guard waiting != nil, mayBe || isWaiting || J1939Evidence.isClaim(frame) else {
            if !frame.isExtended { passed = ArraySlice(Array(frame.channel)) }
            return .passed
        }
        waiting?.append(Numbered(frame: frame, line: line))
        let begun = waiting?.first?.frame.time ?? frame.time
        let isOver =
            evidence[bus]?.isShown == true || waiting?.count ?? 0 >= Self.most
            || frame.time - begun > Self.longest
        return isOver ? .released(release()) : .waits
    }

    /// Whether any frame waits.
    package var isWaiting: Bool { waiting?.isEmpty == false }

    /// Ends the log; returns the frames that waited.
    package mutating func finish() -> [Numbered] {
        for name in evidence.keys { evidence[name]?.finish() }
        return release()
    }

    private mutating func release() -> [Numbered] {
        defer { waiting = nil }
        return waiting ?? []
    }

    private func bus(of frame: LoggedFrame) -> ArraySlice<UInt8> {
        evidence[frame.channel] == nil && evidence.count >= Self.mostBuses ? [] : frame.channel
    }
}
