import Adapters
import OBDCore
import VehicleLink

/// Requests told by their looks alone: where no prompt is in front, an answer that lost its
/// beginning looks like the echo of one.
extension ConversationReader {
    /// A line that was taken for a request.
    struct Guess: Hashable, Sendable {
        var line: Int
        var text: String
        /// What it is if it was none.
        var error: LinkError
        /// Whether it was none if nothing answers it: else it lost its answer.
        var needsAnswer: Bool
        /// Whether an answer to something else shows it to be none; else that answer is astray.
        var mayBeRefuted = false
        /// The request before it that had no answer by then; empty = there was none.
        var before: [UInt8] = []
        /// Guesses before it that are none if this one is answered.
        var errorsBefore: [Told] = []
        /// Whether the first of those is rather a request that lost its answer if this one is none.
        var beginsWithEcho = false
        /// Whether it is the first line of all.
        var isFirst = false

        /// An error and the line that it is about.
        struct Told: Hashable, Sendable {
            var line: Int
            var text: String
            var error: LinkError
        }

        /// A line that has to be answered, or is damaged.
        init(line: Int, text: String, error: LinkError? = nil, needsAnswer: Bool = true) {
            self.line = line
            self.text = text
            self.error = error ?? LinkError(.notAFrame, line: line)
            self.needsAnswer = needsAnswer
        }

        /// Stands after another guess that nothing has answered so far.
        mutating func follow(_ earlier: consuming Guess) {
            needsAnswer = true
            beginsWithEcho = earlier.isFirst || earlier.beginsWithEcho
            let told = Told(line: earlier.line, text: earlier.text, error: earlier.error)
            swap(&errorsBefore, &earlier.errorsBefore)
            errorsBefore.append(told)
        }
    }

    /// Takes a line for a request by its looks; `error` is told where it turns out to be none.
    mutating func guessRequest(
        _ text: Span<UInt8>, _ error: LinkError, _ out: inout [ConversationItem]
    ) {
        let isFirst = requestText.isEmpty && !isOpen
        var guessed = Guess(
            line: lineNumber, text: string(text), error: error,
            needsAnswer: isFirst || hasUnaskedAnswers)
        guessed.isFirst = isFirst
        guessed.mayBeRefuted = hasUnaskedAnswers
        if asked == .vehicle, !isOpen, !isPrompted {
            guessed.before = requestText
            guessed.mayBeRefuted = true
            if let earlier = guess, earlier.needsAnswer {
                // Given up here, so that the list is not copied for each line.
                guess = nil
                guessed.follow(earlier)
            }
            guess = nil
        }
        ask(AdapterCommand.compact(bytes(text)), &out)
        guess = guessed
    }

    /// Looks at a message that came while a guess is open: it confirms the guess, or shows that the
    /// line was not a request.
    mutating func weighGuess(by message: ECUMessage, _ out: inout [ConversationItem]) {
        if guess == nil {
            if asked == .unknown, options.request == nil { hasUnaskedAnswers = true }
            return
        }
        if isAnswered(by: message) {
            hasUnaskedAnswers = false
            confirmGuess(&out)
            return
        }
        guard let wrong = guess, wrong.mayBeRefuted else {
            confirmGuess(&out)
            return
        }
        guess = nil
        let told = Guess.Told(line: wrong.line, text: wrong.text, error: wrong.error)
        if !wrong.before.isEmpty {
            begin(wrong.before)
            if isAnswered(by: message) {
                tell(told, &out)
                return
            }
        }
        for earlier in wrong.errorsBefore.dropFirst(wrong.beginsWithEcho ? 1 : 0) {
            tell(earlier, &out)
        }
        tell(told, &out)
        forgetRequest()
        hasUnaskedAnswers = true
    }

    /// Something answered the guessed request.
    mutating func confirmGuess(_ out: inout [ConversationItem]) {
        guard let guess else { return }
        self.guess = nil
        for told in guess.errorsBefore { tell(told, &out) }
    }

    /// Nothing answered the guessed request.
    mutating func giveUpUnanswered(_ guess: Guess, _ out: inout [ConversationItem]) {
        guard guess.needsAnswer else { return }
        for earlier in guess.errorsBefore.dropFirst(guess.beginsWithEcho ? 1 : 0) {
            tell(earlier, &out)
        }
        tell(Guess.Told(line: guess.line, text: guess.text, error: guess.error), &out)
        forgetRequest()
    }

    private mutating func tell(_ told: Guess.Told, _ out: inout [ConversationItem]) {
        out.append(
            ConversationItem(
                .linkError(told.error, text: told.text), line: told.line, exchange: reader.exchange)
        )
    }

    private mutating func forgetRequest() {
        asked = .unknown
        requestText = []
        requestDigits = []
        reader.begin(nil)
    }

    /// Whether a message can be an answer to what is asked: any refusal, else by its service and, where
    /// that is one of current data, by its first record.
    private func isAnswered(by message: ECUMessage) -> Bool {
        // Messages of SAE J1939 say no service.
        guard message.parameterGroup == nil, let request = reader.exchange.request,
            let service = request.first, let first = message.payload.first,
            first != Service.negativeResponse.rawValue
        else { return true }
        guard first == service &+ 0x40 else { return false }
        guard (0x01...0x02).contains(service), message.payload.count > 1 else { return true }
        return request.count == 1 || request.dropFirst().contains(message.payload[1])
    }
}
