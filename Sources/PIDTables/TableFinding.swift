public import OBDCore

/// Something that is wrong with a table, or that its reader should know.
public struct TableFinding: Hashable, Sendable {
    /// What was found.
    public enum Kind: Hashable, Sendable {
        /// A text of trouble codes, or what stands beside them.
        case explanation(String)
        /// The text cannot be read.
        case text(TableError.Fault)
        /// A record that is there twice: the second would silently replace the first.
        case doubleRecord(DataID, firstLine: Int)
        /// A signal id that another signal of the service has, too.
        case doubleSignal(String, firstLine: Int)
        /// A name that would find another signal of the service, too.
        case doubleAlias(String, firstLine: Int)
        /// Two signals of the same bits that nothing keeps apart.
        case overlap(String, String)
        /// A signal that begins before the one above it.
        case order(String, after: String)
        /// A flag of more than one bit.
        case wideFlag(String)
        /// A factor of 0.
        case noFactor(String)
        /// A code or pattern that does not fit the signal's bits, or is there twice.
        case code(String, raw: UInt64)
        /// A range that the row's bits do not reach, or pass.
        case range(String, said: String, computed: String)
        /// Points that do not ascend, or of which there is only one.
        case points(String)
        /// Pieces that overlap, or do not fit the signal's bits.
        case pieces(String)
        /// A signal to multiply or divide by that is not a plain number.
        case operand(String, of: String)
        /// An example whose data is not as long as the record.
        case exampleLength(Int, wanted: ClosedRange<Int>)
        /// An example that says something else than the row.
        case example(String, said: String, decoded: String)
        /// An example so coarse that neighbouring raw values would pass.
        case coarse(String, said: String)
        /// A signal that no example shows.
        case noExample(String)
        /// A signed signal whose smallest or largest value no example shows.
        case noExtreme(String)
    }

    /// The file, as it was given.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// What was found.
    public var kind: Kind

    /// A finding at a line of a file.
    public init(file: String, line: Int, _ kind: Kind) {
        self.file = file
        self.line = line
        self.kind = kind
    }

    /// Whether decoding with the table would go wrong; else only its evidence is thin.
    public var isError: Bool {
        switch kind {
        case .noExample, .noExtreme, .coarse: false
        case .explanation, .text, .doubleRecord, .doubleSignal, .doubleAlias, .overlap, .order,
            .wideFlag, .noFactor, .code, .range, .points, .pieces, .operand, .exampleLength,
            .example:
            true
        }
    }

    /// One sentence for people.
    public var reason: String {
        switch kind {
        case .explanation(let reason):
            reason
        case .text(let fault):
            TableError(file: file, line: line, fault).reason
        case .doubleRecord(let id, let first):
            "record \(id) is already in line \(first) already"
        case .doubleSignal(let name, let first):
            "\(name) is a signal of line \(first) already"
        case .doubleAlias(let name, let first):
            "`\(name)` names the signal of line \(first) already"
        case .overlap(let name, let other):
            "\(name) shares bits with \(other), and no flag or condition separates them"
        case .order(let name, let other):
            "\(name) begins before \(other): signals must be in bit order"
        case .wideFlag(let name):
            "\(name) is used as a flag but is not a single bit"
        case .noFactor(let name):
            "\(name) has the factor 0"
        case .code(let name, let raw):
            "code \(Self.hex(raw)) of \(name) appears twice or does not fit its bits"
        case .range(let name, let said, let computed):
            "\(name) is said to reach from \(said), its bits reach from \(computed)"
        case .points(let name):
            "the points of \(name) do not ascend, or are fewer than two"
        case .pieces(let name):
            "pieces of \(name) overlap or do not fit its bits"
        case .operand(let name, let signal):
            "\(signal) cannot be multiplied or divided by \(name): it is not a plain number"
        case .exampleLength(let count, let wanted):
            "the example has \(count) bytes, the record \(Self.length(wanted))"
        case .example(let name, let said, let decoded):
            "the example says \(name)=\(said), the row says \(decoded)"
        case .coarse(let name, let said):
            "\(name)=\(said) would hold for neighbouring raw values, too: more digits"
        case .noExample(let name):
            "no example shows \(name)"
        case .noExtreme(let name):
            "no example shows the smallest and the largest value of \(name)"
        }
    }

    private static func hex(_ raw: UInt64) -> String { String(raw, radix: 16, uppercase: true) }

    private static func length(_ range: ClosedRange<Int>) -> String {
        range.count == 1
            ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }
}

extension TableFinding: CustomStringConvertible {
    /// `FILE:LINE: error: reason`, as compilers write it.
    public var description: String {
        "\(file):\(line): \(isError ? "error" : "warning"): \(reason)"
    }
}
