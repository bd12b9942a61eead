import ArgumentParser

/// An option's value that is one of a few words.
///
/// What ArgumentParser would find out about such a type by itself costs a tenth of a short
/// command's time, at every start and for every option; here it is told.
protocol Choice: ExpressibleByArgument, CaseIterable, RawRepresentable where RawValue == String {}

extension Choice {
    /// The choice that a word names; nil for any other word.
    public init?(argument: String) { self.init(rawValue: argument) }

    /// The word, as help shows a default.
    public var defaultValueDescription: String { rawValue }

    /// All words, in the order of the cases.
    public static var allValueStrings: [String] { allCases.map(\.rawValue) }

    /// None: the words speak for themselves.
    public static var allValueDescriptions: [String: String] { [:] }

    /// All words.
    public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
