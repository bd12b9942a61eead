/// Signs before a fraction.
struct DecimalSigns: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let point = DecimalSigns(rawValue: 1)
    static let comma = DecimalSigns(rawValue: 2)
}

/// The meaning of a point or a comma before three digits, as in `1,726`.
struct DecimalRule: Hashable, Sendable {
    enum Meaning: Hashable, Sendable {
        case decimal, group
        /// The text may be 1.726 or 1726, and is not read.
        case unclear
    }

    var point: Meaning
    var comma: Meaning

    /// For texts whose program never groups digits.
    static let any = DecimalRule(point: .decimal, comma: .decimal)
    static let point = DecimalRule(point: .decimal, comma: .group)
    static let comma = DecimalRule(point: .group, comma: .decimal)
    static let unclear = DecimalRule(point: .unclear, comma: .unclear)
    /// For files whose commas separate cells: a program with a decimal comma would write it in quotes.
    static let commaSeparated = DecimalRule(point: .decimal, comma: .unclear)

    fileprivate init(point: Meaning, comma: Meaning) {
        (self.point, self.comma) = (point, comma)
    }

    /// The rule for numbers that show these signs.
    fileprivate init(_ signs: DecimalSigns) {
        self = signs == .point ? .point : signs == .comma ? .comma : .unclear
    }

    /// The meaning of a sign.
    fileprivate func meaning(_ sign: DecimalSigns) -> Meaning { sign == .point ? point : comma }
}

/// The decimal signs of a file, as its numbers show them.
///
/// `12,5` shows a comma, `1.726,5` and `1.234.567` too. `1.726` shows nothing: the other numbers of the
/// column decide, then those of the file. A program may write positions and times in another way than the
/// rest, so these decide last.
package struct NumberGrammar: Hashable, Sendable {
    /// The decimal sign that the numbers of a column show.
    private struct Column: Hashable {
        var shown: DecimalSigns = []
        /// The signs without which a number would be impossible for its PID.
        var possible: DecimalSigns = []
        /// The signs that may be decimal or separate groups.
        var unclear: DecimalSigns = []
    }

    /// How numbers read without a grammar.
    let usual: DecimalRule
    private var columns: [String: Column] = [:]
    private var file: DecimalSigns = []
    private var aside: DecimalSigns = []
    /// A file of random data may have as many columns as rows.
    private static let mostColumns = 10_000

    /// The grammar of a file that shows nothing yet.
    init(isCommaSeparated: Bool) {
        usual = isCommaSeparated ? .commaSeparated : .unclear
    }

    /// Takes a text that may be a number.
    ///
    /// - Parameters:
    ///   - isAside: whether it is a part of a position or a time.
    ///   - isPossible: whether the column can have this value.
    mutating func take(
        _ text: String, of column: String, isAside: Bool = false,
        isPossible: (Double) -> Bool = { _ in true }
    ) {
        let (shown, unclear) = CSVNumber.signs(text)
        if isAside { aside.formUnion(shown) } else { file.formUnion(shown) }
        guard columns.count < Self.mostColumns || columns[column] != nil else { return }
        columns[column, default: Column()].shown.formUnion(shown)
        guard !unclear.isEmpty else { return }
        columns[column]?.unclear.formUnion(unclear)
        guard let fraction = CSVNumber.decimal(text), case let whole = (fraction * 1000).rounded()
        else { return }
        switch (isPossible(fraction), isPossible(whole)) {
        case (true, false): columns[column]?.possible.formUnion(unclear)
        case (false, true): columns[column]?.possible.formUnion(unclear == .point ? .comma : .point)
        default: break
        }
    }

    /// Whether a text has a sign that may be a decimal one.
    static func mayShow(_ text: String, showsPoint: Bool) -> Bool {
        text.utf8.contains { $0 == 0x2C || $0 >= 0x80 || $0 == 0x2E && !showsPoint }
    }

    /// Whether no column was seen yet.
    var isEmpty: Bool { columns.isEmpty }

    /// Whether numbers of a column have a decimal point.
    func showsPoint(_ column: String) -> Bool { columns[column]?.shown.contains(.point) ?? false }

    /// How the numbers of a column read.
    func rule(_ column: String) -> DecimalRule {
        let found = columns[column] ?? Column()
        for signs in [found.shown, found.possible, file, aside] where !signs.isEmpty {
            return DecimalRule(signs)
        }
        return usual
    }

    /// Whether an unclear number reads differently by this grammar than without one.
    var matters: Bool {
        columns.contains { name, column in
            let rule = rule(name)
            return [DecimalSigns.point, .comma].contains {
                column.unclear.contains($0) && rule.meaning($0) != usual.meaning($0)
            }
        }
    }
}
