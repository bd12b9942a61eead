import Formats
import OBDCore
import Synchronization

/// Notices that no frame is heard, or only frames of which no table has a value.
package final class HeardFrames: Sendable {
    private struct State: Sendable {
        var begun: Instant?
        var first: Instant?
        var count = 0
        var identifiers: Set<ECUAddress> = []
        var hasValues = false
        var isTold = false
    }

    private let state = Mutex(State())
    /// A table's messages come at least this often, if they come by themselves.
    private static let patience = Duration.seconds(5)
    /// An ELM327 listens at four protocols for two seconds each.
    private static let longestSilence = Duration.seconds(10)
    private static let mostIdentifiers = 2048
    /// The only frames to hear; empty = all.
    let expected: Set<ECUAddress>
    /// Parameter groups of SAE J1939 that are expected in addition.
    private let groups: Set<UInt32>

    init(expecting expected: Set<ECUAddress> = [], groups: Set<UInt32> = []) {
        self.expected = expected
        self.groups = groups
    }

    /// The same for another session, which has heard nothing yet.
    func fresh() -> HeardFrames { HeardFrames(expecting: expected, groups: groups) }

    func count(_ id: ECUAddress, at time: Instant) {
        state.withLock { state in
            if state.hasValues { return }
            state.first = state.first ?? time
            state.count += 1
            if state.identifiers.count < Self.mostIdentifiers { state.identifiers.insert(id) }
        }
    }

    func findValue() {
        state.withLock { state in
            state.hasValues = true
            state.identifiers = []
        }
    }

    /// A sentence about missing frames or tables, once; nil = nothing is missing, or it is too early to know.
    package func news(at now: Instant) -> String? {
        let silence = state.withLock { state in
            let begun = state.begun ?? now
            state.begun = begun
            return now - begun
        }
        return news(isSilent: silence >= Self.longestSilence) { now - $0 >= Self.patience }
    }

    /// A sentence about missing frames or tables at the end of the listening, however short it was.
    package func lastNews() -> String? {
        // A link that never listened has heard nothing either.
        news(isSilent: state.withLock { $0.begun != nil }) { _ in true }
    }

    private func news(isSilent: Bool, _ isTime: (Instant) -> Bool) -> String? {
        state.withLock { state in
            guard !state.hasValues, !state.isTold else { return nil }
            guard let first = state.first else {
                state.isTold = isSilent
                return isSilent ? silence : nil
            }
            guard isTime(first) else { return nil }
            state.isTold = true
            return
                "\(counted(state.count, "frame")) with \(Self.list(state.identifiers)) were heard, and "
                + "no table has a value of them: name a table with --table FILE, such as a DBC file of "
                + "the vehicle; \"obdscan monitor\" shows the frames"
        }
    }

    private var silence: String {
        guard !groups.isEmpty || !expected.isEmpty else {
            return
                "No frame was heard. Is the ignition on? Behind a gateway, the OBD socket shows only "
                + "answers to requests."
        }
        let wanted = [
            expected.isEmpty ? nil : "frame with \(Self.list(expected))",
            groups.isEmpty ? nil : "message of \(Self.list(groups: groups))",
        ].compactMap(\.self)
        return
            "No \(wanted.joined(separator: " and no ")) was heard. Is the table for this vehicle? Is "
            + "the ignition on? Behind a gateway, the OBD socket shows only answers to requests."
    }

    private static func list(groups: Set<UInt32>) -> String {
        let some = groups.sorted().prefix(4).map { Hex.string($0, digits: 4) }
        return "\(counted(groups.count, "parameter group")) (\(some.joined(separator: ", "))"
            + (some.count == groups.count ? ")" : " …)")
    }

    private static func list(_ identifiers: Set<ECUAddress>) -> String {
        let some = identifiers.sorted().prefix(4).map { "\($0)" }
        return "\(counted(identifiers.count, "identifier")) (\(some.joined(separator: ", "))"
            + (some.count == identifiers.count ? ")" : " …)")
    }
}
