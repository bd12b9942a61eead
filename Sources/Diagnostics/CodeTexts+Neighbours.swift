public import OBDCore

/// The nearest codes with a text on both sides of a code without one.
///
/// The standard numbers the failure modes of a component consecutively. The neighbours of an unknown code
/// therefore show its subject, but not its meaning.
public struct CodeNeighbours: Hashable, Sendable {
    /// A code with a text.
    public struct Neighbour: Hashable, Sendable {
        /// The code.
        public var code: DTC
        /// The subject: the code's text without the failure mode.
        public var subject: String
    }

    /// The nearest code before the unknown one; nil if none is near.
    public var before: Neighbour?
    /// The nearest code after the unknown one; nil if none is near.
    public var after: Neighbour?

    /// One sentence for the user.
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
    /// The longest distance to a neighbour.
    private static let reach: UInt16 = 8

    /// The neighbours of `code` that have a text.
    ///
    /// Nil if the code has a text itself, if the manufacturer defines it, if no neighbour is near, or if
    /// it is P0000, which only fills unused places in answers.
    public func neighbours(of code: DTC) -> CodeNeighbours? {
        guard code.code != 0, CodeStructure(code).owner == .standard,
            text(of: DTC(code.code)) == nil
        else { return nil }
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
    /// The text with a lower case first letter, unless it begins with an abbreviation.
    public var midSentence: String {
        guard let second = dropFirst().first, second.isLowercase else { return self }
        return prefix(1).lowercased() + dropFirst()
    }
}
