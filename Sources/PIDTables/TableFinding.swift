public import OBDCore

/// A fault in a table, or a weakness that its author should know.
public struct TableFinding: Hashable, Sendable {
    /// The kind of finding.
    public enum Kind: Hashable, Sendable {
        /// A text or an explanation of trouble codes.
        case explanation(String)
        /// A row of another program's table with a fault; lost if nothing decodes it.
        case row(String, String, isLost: Bool)
        /// A file without any record.
        case noRecord
        /// The text is not valid.
        case text(TableError.Fault)
        /// A repeated record, the second of which would replace the first without notice.
        case doubleRecord(DataID, firstLine: Int)
        /// A signal ID that another signal in the service also has.
        case doubleSignal(String, firstLine: Int)
        /// A name that also matches another signal in the service.
        case doubleAlias(String, firstLine: Int)
        /// Two signals with the same bits and the same condition.
        case overlap(String, String)
        /// A signal that begins before the previous one.
        case order(String, after: String)
        /// A flag of more than one bit.
        case wideFlag(String)
        /// A factor of 0.
        case noFactor(String)
        /// A code or pattern that does not fit into the signal's bits, or is repeated.
        case code(String, raw: UInt64)
        /// Names for raw values of a number that is equal for several raw values.
        case labels(String)
        /// A range that differs from the one of the row's bits.
        case range(String, said: String, computed: String)
        /// Points that do not ascend, or a single point.
        case points(String)
        /// Pieces that overlap, or do not fit into the signal's bits.
        case pieces(String)
        /// A signal to multiply or divide by that is not a plain number.
        case operand(String, of: String)
        /// An example with a length that differs from the record's.
        case exampleLength(Int, wanted: ClosedRange<Int>)
        /// An example with another value than the row.
        case example(String, said: String, decoded: String)
        /// An example with so few digits that adjacent raw values would match.
        case coarse(String, said: String)
        /// A signal without an example.
        case noExample(String)
        /// A signed signal without an example for its smallest or largest value.
        case noExtreme(String)
    }

    /// The path of the file as given.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// The kind of finding.
    public var kind: Kind

    /// A finding in a line of a file.
    public init(file: String, line: Int, _ kind: Kind) {
        self.file = file
        self.line = line
        self.kind = kind
    }

    /// Whether decoding would be wrong; otherwise only the evidence is weak.
    public var isError: Bool {
        switch kind {
        case .noRecord, .noExample, .noExtreme, .coarse: false
        case .row(_, _, let isLost): isLost
        case .explanation, .text, .doubleRecord, .doubleSignal, .doubleAlias, .overlap, .order,
            .wideFlag, .noFactor, .code, .labels, .range, .points, .pieces, .operand,
            .exampleLength, .example:
            true
        }
    }

    /// One sentence for the user.
    public var reason: String {
        switch kind {
        case .explanation(let reason):
            reason
        case .row(let name, let reason, _):
            name.isEmpty ? reason : "\(name): \(reason)"
        case .noRecord:
            "the file has no record"
        case .text(let fault):
            TableError(file: file, line: line, fault).reason
        case .doubleRecord(let id, let first):
            "record \(id) is in line \(first) already"
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
        case .labels(let name):
            "\(name) has names for raw values, but a formula or more than 53 bits"
        case .range(let name, let said, let computed):
            "\(name) has the stated range \(said), its bits give \(computed)"
        case .points(let name):
            "the points of \(name) do not ascend, or are fewer than two"
        case .pieces(let name):
            "pieces of \(name) overlap or do not fit its bits"
        case .operand(let name, let signal):
            "\(signal) cannot be multiplied or divided by \(name): it is not a plain number"
        case .exampleLength(let count, let wanted):
            "the example has \(counted(count, "byte")), the record \(Self.length(wanted))"
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
    /// `FILE:LINE: error: reason`, in the format of compilers.
    public var description: String {
        "\(file):\(line): \(isError ? "error" : "warning"): \(reason)"
    }
}
