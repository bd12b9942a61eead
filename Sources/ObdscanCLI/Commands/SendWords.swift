import Adapters
import OBDCore

extension RawCommand {
    /// The failure for a command with blanks that was not quoted in the shell; nil = none.
    static func unquoted(_ words: [String]) -> Failure? {
        for (place, word) in words.enumerated().dropLast() {
            let rest = words[(place + 1)...]
            let isAdapters = AdapterCommand.isBeginning(word)
            let isRequest =
                isByte(word)
                && Hex.bytes(word).flatMap { ServiceShape.of($0[0]) }.map(needsMore) ?? false
            guard isAdapters || isRequest && rest.first.map(isHex) ?? false else { continue }
            var others = rest.prefix { other in
                isAdapters
                    ? !AdapterCommand.isBeginning(other.prefix(2))
                        && !(other.utf8.count > 3 && isHex(other))
                    : isByte(other)
            }
            // For example: 22 F190
            if others.isEmpty, isRequest { others = rest.prefix(1) }
            let whole = ([word] + others).joined(separator: isAdapters ? " " : "")
            return Failure(
                "\"\(word)\" is not a whole command",
                hint: "each argument is a command: \"obdscan send "
                    + (isAdapters ? "'\(whole)'\"" : "\(whole)\""), status: .usage)
        }
        return nil
    }

    private static func isByte(_ word: String) -> Bool {
        word.utf8.count == 2 && word.utf8.allSatisfy { Hex.value($0) != nil }
    }

    /// Whether these are the digits of whole bytes.
    private static func isHex(_ word: String) -> Bool {
        word.utf8.count.isMultiple(of: 2) && word.utf8.allSatisfy { Hex.value($0) != nil }
    }

    /// Whether a service byte alone is not a valid request.
    private static func needsMore(_ shape: ServiceShape) -> Bool {
        shape.request.map { $0.lowerBound > 1 } ?? (shape.selectorWidth > 0)
    }
}
