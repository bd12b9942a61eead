/// A harmless command whose answer shows the real model of an ELM327-class adapter.
///
/// Settings are set to the value that they already have, so nothing has to be restored.
public struct AdapterProbe: Hashable, Sendable {
    /// The expected answer.
    public enum Expectation: Hashable, Sendable {
        /// `OK`.
        case confirmation
        /// Any text except `?`.
        case text
    }

    /// The command as typed.
    public var command: String
    /// The first firmware with the command, in ELM's numbering: 14 = v1.4.
    public var since: Int
    /// The expected answer.
    public var expectation: Expectation

    /// Whether `lines` are the answer of an adapter that knows the command.
    public func isAnswered(by lines: [String]) -> Bool {
        switch expectation {
        case .confirmation: lines.contains { $0.uppercased() == "OK" }
        case .text: lines.contains { !$0.isEmpty && $0 != "?" }
        }
    }

    /// The probes, with versions from Elm Electronics' own command tables.
    ///
    /// The list leaves out commands that are known to hang clones (``AdapterQuirk``), to write (`AT PP`,
    /// `AT SD`, `AT CV`, `AT @3`) or to put the adapter to sleep (`AT LP`).
    public static let all: [AdapterProbe] = [
        AdapterProbe("AT @1", 10, .text), AdapterProbe("AT DP", 10, .text),
        AdapterProbe("AT DPN", 10, .text), AdapterProbe("AT RV", 10, .text),
        AdapterProbe("AT CS", 10, .text), AdapterProbe("AT NL", 10),
        AdapterProbe("AT R1", 10), AdapterProbe("AT CAF1", 10), AdapterProbe("AT CFC1", 10),
        AdapterProbe("AT L0", 10),
        AdapterProbe("AT PPS", 11, .text), AdapterProbe("AT FC SM 0", 11),
        AdapterProbe("AT AT1", 12), AdapterProbe("AT AR", 12),
        AdapterProbe("AT S0", 13), AdapterProbe("AT D0", 13), AdapterProbe("AT V0", 13),
        AdapterProbe("AT IGN", 14, .text), AdapterProbe("AT RD", 14, .text),
        AdapterProbe("AT CEA", 14), AdapterProbe("AT TA F1", 14), AdapterProbe("AT CRA", 14),
        AdapterProbe("AT AMC", 20, .text),
        AdapterProbe("AT CTM1", 21),
    ]

    private init(_ command: String, _ since: Int, _ expectation: Expectation = .confirmation) {
        self.command = command
        self.since = since
        self.expectation = expectation
    }
}

/// The verdict on an adapter: its claims, compared with its answers to ``AdapterProbe/all``.
public struct AdapterVerdict: Hashable, Sendable {
    /// How well the claim and the answers agree.
    public enum Kind: String, Hashable, Sendable {
        /// All commands of the claimed firmware were answered.
        case genuine
        /// An STN chip, identified by its own command set.
        case stn
        /// Commands of the claimed firmware are missing, or that firmware never existed.
        case clone
        /// The adapter does not identify itself.
        case unknown
    }

    /// How well the claim and the answers agree.
    public var kind: Kind
    /// The firmware version that the adapter claims, in ELM's numbering: 14 = v1.4; nil if it
    /// claims none.
    public var claimed: Int?
    /// The newest firmware whose commands were all answered; nil if not even the oldest matches.
    public var behavesLike: Int?
    /// Commands of the claimed firmware that the adapter does not know.
    public var missing: [String]

    /// Compares the claim with the results of the probes.
    ///
    /// - Parameters:
    ///   - banner: the answer to `AT I`.
    ///   - stnFirmware: an STN's answer to `STI`; nil for any other adapter.
    ///   - answered: the commands of ``AdapterProbe/all`` that were answered.
    public init(banner: String?, stnFirmware: String?, answered: Set<String>) {
        let claimed = banner.flatMap(Self.version)
        let missing = AdapterProbe.all.filter { !answered.contains($0.command) }
        let versions = Set(AdapterProbe.all.map(\.since))
        behavesLike = versions.filter { version in
            missing.allSatisfy { $0.since > version }
        }.max()
        self.claimed = claimed
        self.missing = missing.filter { $0.since <= claimed ?? 10 }.map(\.command)
        if stnFirmware != nil {
            kind = .stn
        } else if let claimed {
            let existed = Self.firmwares.contains(claimed)
            kind = existed && self.missing.isEmpty ? .genuine : .clone
        } else {
            kind = .unknown
        }
    }

    /// The firmware versions that Elm Electronics released; v1.5 was never released.
    static let firmwares: Set<Int> = [10, 11, 12, 13, 14, 20, 21, 22, 23]

    /// The version in `ELM327 v1.4b`.
    static func version(_ banner: String) -> Int? {
        let text = Array(banner.utf8)
        for index in text.indices.dropLast(3)
        where text[index] == UInt8(ascii: "v") || text[index] == UInt8(ascii: "V") {
            let (major, dot, minor) = (text[index + 1], text[index + 2], text[index + 3])
            guard dot == UInt8(ascii: "."), (0x30...0x39).contains(major),
                (0x30...0x39).contains(minor)
            else { continue }
            return Int(major - 0x30) * 10 + Int(minor - 0x30)
        }
        return nil
    }
}
