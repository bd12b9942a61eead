/// The meaning of two facts about a vehicle.
package struct UsedCarFinding: Hashable, Sendable {
    package enum Grade: String, Hashable, Sendable, CaseIterable, Comparable {
        /// Both facts cannot hold for one vehicle whose parts are its own.
        case contradiction
        /// Unusual; a reason should be asked for.
        case odd
        /// Worth knowing.
        case note

        /// Whether `one` is graver.
        package static func < (one: Grade, other: Grade) -> Bool {
            let order = allCases
            return (order.firstIndex(of: one) ?? 0) < (order.firstIndex(of: other) ?? 0)
        }
    }

    package enum Value: Hashable, Sendable {
        case number(Double, unit: String?)
        case text(String)
    }

    /// One of the facts.
    package struct Side: Hashable, Sendable {
        package var source: String
        package var value: Value

        init(_ source: String, _ number: Double, _ unit: String? = nil) {
            self.source = source
            value = .number(number, unit: unit)
        }

        init(_ source: String, _ text: String) {
            self.source = source
            value = .text(text)
        }
    }

    package var grade: Grade
    /// The kind of finding: `lifetime-distance`.
    package var id: String
    package var text: String
    package var left: Side
    package var right: Side?
    /// Honest explanations of the facts, the most likely first.
    package var explains: [UsedCarExplanation]
    /// The explanation that the user knows to be true.
    package var known: UsedCarExplanation?

    init(
        _ grade: Grade, _ id: String, _ text: String, _ left: Side, _ right: Side? = nil,
        explains: [UsedCarExplanation]
    ) {
        self.grade = grade
        self.id = id
        self.text = text
        self.left = left
        self.right = right
        self.explains = explains
    }

    /// The same finding as a note if one of `known` explains it.
    func explained(by known: Set<UsedCarExplanation>) -> UsedCarFinding {
        guard let reason = explains.first(where: known.contains) else { return self }
        var note = self
        note.grade = .note
        note.known = reason
        return note
    }
}

/// An honest reason for facts that do not fit; the raw value is the word of `--known`.
package enum UsedCarExplanation: String, Hashable, Sendable, CaseIterable {
    case clusterReplaced = "cluster-replaced"
    case ecuReplaced = "ecu-replaced"
    case ecuReprogrammed = "ecu-reprogrammed"
    case moduleReplaced = "module-replaced"
    case usedPart = "used-part"
    case miles
    case greyImport = "grey-import"
    case converted
    case rebodied
    case repair
    case inspection
    case newBattery = "new-battery"
    case softwareUpdate = "software-update"
    case testDriveNotFinished = "test-drive-not-finished"
    case shortTrips = "short-trips"
    case tankFullOrEmpty = "tank-full-or-empty"
    case frost
    case height
    case faultWentAway = "fault-went-away"
    case noLightForCode = "no-light-for-code"
    case delivery
    case taxi
    case standingWork = "standing-work"
    case motorways
    case hybrid
    case counterRestarted = "counter-restarted"
    case counterNotUsed = "counter-not-used"
    case moduleAsleep = "module-asleep"
    case vinNotWritten = "vin-not-written"
    case numberComputedLater = "number-computed-later"
    case campaign
    case emulator

    /// The reason that a user's word means: `cluster-replaced`, `new cluster`.
    package init?(word: String) {
        let plain = String(word.lowercased().map { $0 == " " || $0 == "_" ? "-" : $0 })
        let part =
            plain.hasPrefix("new-")
            ? String(plain.dropFirst(4)) + "-replaced"
            : plain.hasSuffix("-replaced") ? "new-" + plain.dropLast(9) : plain
        guard let known = Self(rawValue: plain) ?? Self(rawValue: part) else { return nil }
        self = known
    }

    /// The reason in words: `cluster replaced`.
    package var text: String {
        rawValue.split(separator: "-").map { word in
            word == "ecu" || word == "vin" ? word.uppercased() : String(word)
        }.joined(separator: " ")
    }
}
