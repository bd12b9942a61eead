import Adapters

/// First lines of messages that may still be open, to be shown with their errors.
struct OpenLines: Hashable, Sendable {
    private struct OpenLine: Hashable, Sendable {
        var line: Int
        var text: String
    }

    /// More than any link has open at once; the oldest are removed first.
    private static let most = 128

    private var lines: [OpenLine] = []

    var isEmpty: Bool { lines.isEmpty }

    /// Keeps a line; `line` counts from 1.
    mutating func append(_ line: Int, _ text: Span<UInt8>) {
        if lines.count >= Self.most { lines.removeFirst(Self.most / 2) }
        lines.append(OpenLine(line: line, text: string(text)))
    }

    /// The text of a line; nil if it was not kept.
    func text(of line: Int) -> String? {
        lines.last { $0.line == line }?.text
    }

    mutating func removeAll() { lines.removeAll(keepingCapacity: true) }
}
