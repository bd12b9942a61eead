import Formats
import VehicleScan

extension RawCommand {
    /// Reads an AT or ST command or hexadecimal; a ``Failure`` for anything else.
    init(_ typed: String) throws(Failure) {
        guard let command = RawCommand(typed: typed) else {
            throw Failure(
                "\"\(printable(typed))\" is not a command",
                hint: "adapter commands begin with AT or ST, requests are whole bytes: 010C",
                status: .usage)
        }
        self = command
    }

    /// What is wrong with words that the shell cut where a command has blanks; nil = nothing.
    static func unquoted(_ words: [String]) -> Failure? {
        guard let (word, whole, isForAdapter) = cut(in: words) else { return nil }
        return Failure(
            "\"\(word)\" is not a whole command",
            hint: "each argument is a command: \"obdscan send "
                + (isForAdapter ? "'\(whole)'\"" : "\(whole)\""), status: .usage)
    }
}
