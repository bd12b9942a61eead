public import OBDCore

/// The codes with a text on both sides of one without.
///
/// The standard numbers the failure modes of a component one after the other, so that its
/// neighbours say what an unknown code is about, though not what it says.
public struct CodeNeighbours: Hashable, Sendable {
    /// A code with a text.
    public struct Neighbour: Hashable, Sendable {
        /// The code.
        public var code: DTC
        /// What it is about: its text without the failure mode.
        public var subject: String
    }

    /// The nearest one before; nil where none is near.
    public var before: Neighbour?
    /// The nearest one after; nil where none is near.
    public var after: Neighbour?

    /// One sentence for people.
    public var sentence: String {
        switch (before, after) {
        case (let before?, let after?) where before.subject == after.subject:
            "in the group of \(before.code.text) to \(after.code.text): \(before.subject.midSentence)"
        case (let before?, let after?):
            "between \(before.code.text) (\(before.subject.midSentence)) and "
                + "\(after.code.text) (\(after.subject.midSentence))"
        case (let near?, nil), (nil, let near?):
            "near \(near.code.text): \(near.subject.midSentence)"
        case (nil, nil):
            ""
        }
    }
}

extension CodeTexts {
    /// How far away a neighbour may be.
    private static let reach: UInt16 = 8

    /// The codes beside `code` that have a text.
    ///
    /// nil where the code has a text itself, where the manufacturer defines it, and where no
    /// neighbour is near.
    public func neighbours(of code: DTC) -> CodeNeighbours? {
        guard CodeStructure(code).owner == .standard, text(of: DTC(code.code)) == nil else {
            return nil
        }
        let before = (1...Self.reach).lazy
            .compactMap { $0 <= code.code & 0xFF ? neighbour(code.code - $0) : nil }.first
        let after = (1...Self.reach).lazy
            .compactMap { $0 + (code.code & 0xFF) <= 0xFF ? neighbour(code.code + $0) : nil }.first
        if before == nil && after == nil { return nil }
        return CodeNeighbours(before: before, after: after)
    }

    private func neighbour(_ code: UInt16) -> CodeNeighbours.Neighbour? {
        text(of: DTC(code)).map { .init(code: DTC(code), subject: Self.subject(of: $0)) }
    }

    /// A text without the failure mode at its end.
    private static func subject(of text: String) -> String {
        let end = text.utf8.indices.first { index in
            text.utf8[index] == UInt8(ascii: ":")
                && text.utf8[text.utf8.index(after: index)...].first == UInt8(ascii: " ")
        }
        return end.map { String(text[..<$0]) } ?? text
    }
}

extension String {
    /// With a small letter at the beginning, unless it is an abbreviation.
    public var midSentence: String {
        guard let second = dropFirst().first, second.isLowercase else { return self }
        return prefix(1).lowercased() + dropFirst()
    }
}
