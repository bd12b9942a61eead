import ArgumentParser
import Formats

/// The possible words at the cursor; shells request them with `obdscan ---complete WORD…`.
///
/// All shells use this result, so that they offer the same words.
struct Completion: Hashable, Sendable {
    struct Offer: Hashable, Sendable {
        /// The whole word, including the typed part.
        var word: String
        /// One line for people; empty = none.
        var about = ""
    }

    /// The words that begin with the typed part, in the order of display.
    private(set) var offers: [Offer] = []
    /// Whether file names are possible; every shell completes file names in its own way.
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

    /// The output for the shell: one line per word, with a tab before its description.
    ///
    /// `:files` means that file names are possible as well.
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
            // A line break would split the word, and control characters are not useful.
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
            // A shell completes a whole word, so it cannot complete a file name after an equals
            // sign.
            takesFile = behind.isEmpty
        }
        add(words.offers(for: argument), line.prefix, behind: behind)
    }

    /// Offers long option names; short ones only if an option has no long name.
    private mutating func addOptions(_ line: CompletionLine) {
        for option in line.options {
            let long = option.names.filter { $0.hasPrefix("--") }
            let names = long.isEmpty ? option.names : long
            add(names.map { Offer(word: $0, about: option.about) }, line.prefix)
        }
    }
}
