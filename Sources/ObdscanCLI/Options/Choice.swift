import ArgumentParser

/// An option whose value is one of a few words.
///
/// ArgumentParser's own inspection of such a type takes a tenth of the time of a short command, at
/// every start and for every option. These members make the inspection unnecessary.
protocol Choice: ExpressibleByArgument, CaseIterable, RawRepresentable where RawValue == String {}

extension Choice {
    /// The choice with this word; nil for any other word.
    public init?(argument: String) { self.init(rawValue: argument) }

    /// The word that help shows as a default.
    public var defaultValueDescription: String { rawValue }

    /// All words, in the order of the cases.
    public static var allValueStrings: [String] { allCases.map(\.rawValue) }

    /// Empty, because the words need no description.
    public static var allValueDescriptions: [String: String] { [:] }

    /// All words.
    public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
