import ArgumentParser
import Formats

/// What can be typed next; shells ask for it by `obdscan ---complete WORD…`.
///
/// All shells show what is found here, so that none knows more than another.
struct Completion: Hashable, Sendable {
    /// One word to offer.
    struct Offer: Hashable, Sendable {
        /// The whole word, with what was typed of it.
        var word: String
        /// One line for people; empty = nothing.
        var about = ""
    }

    /// What begins with what was typed, in the order in which it is shown.
    private(set) var offers: [Offer] = []
    /// Whether names of files fit, which every shell completes in its own way.
    private(set) var takesFile = false

    /// Completes the last of the words after the program's name.
    init(_ words: [String]) {
        let line = CompletionLine(words)
        switch line.place {
        case .value(let argument, let behind):
            add(argument, line, behind: behind)
        case .option: addOptions(line)
        case .word:
            for command in line.commands {
                let about = command.configuration.abstract
                add([Offer(word: CommandSuggestion.name(command), about: about)], line.prefix)
            }
            if line.path.isEmpty, line.positionals == 0, !line.asksForHelp {
                add([Offer(word: "help", about: "Show help of a command.")], line.prefix)
            }
            if let argument = line.positional { add(argument, line, behind: "") }
            if offers.isEmpty, !takesFile, line.prefix.isEmpty, line.isComplete {
                addOptions(line)
            }
        }
    }

    /// What a shell reads: a line an offer, the word and after a tab the text about it; `:files`
    /// where names of files fit as well.
    var text: String {
        var text = ""
        for offer in offers {
            text += offer.word
            let about = printable(offer.about)
            if !about.isEmpty { text += "\t" + about }
            text += "\n"
        }
        return text + (takesFile ? ":files\n" : "")
    }

    private mutating func add(_ offers: [Offer], _ prefix: String, behind: String = "") {
        for var offer in offers where offer.word.hasPrefix(prefix) {
            offer.word = behind + offer.word
            // A line break would be its own word, and a control character nobody's.
            guard printable(offer.word) == offer.word,
                !self.offers.contains(where: { $0.word == offer.word })
            else { continue }
            self.offers.append(offer)
        }
    }

    private mutating func add(
        _ argument: CommandArgument, _ line: CompletionLine, behind: String
    ) {
        let words = CompletionWords(line)
        if words.isFileName(argument) {
            // A shell completes a word as a whole, so not what comes after an equals sign.
            takesFile = behind.isEmpty
        }
        add(words.offers(for: argument), line.prefix, behind: behind)
    }

    /// Long names; short ones only to those that have no other.
    private mutating func addOptions(_ line: CompletionLine) {
        for option in line.options {
            let long = option.names.filter { $0.hasPrefix("--") }
            let names = long.isEmpty ? option.names : long
            add(names.map { Offer(word: $0, about: option.about) }, line.prefix)
        }
    }
}
