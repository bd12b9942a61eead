import Adapters
import OBDCore
import VehicleLink

/// Requests that are recognised by their form only.
///
/// Without a prompt before it, an answer that lost its beginning looks like the echo of a request.
extension ConversationReader {
    /// A line that is assumed to be a request.
    struct Guess: Hashable, Sendable {
        var line: Int
        var text: String
        /// The error to report if the line was not a request.
        var error: LinkError
        /// Whether the line was not a request if no answer follows; otherwise it is a request that lost its
        /// answer.
        var needsAnswer: Bool
        /// Whether an answer to another request disproves the guess; otherwise that answer is misplaced.
        var mayBeRefuted = false
        /// The previous request if it still had no answer; empty if there was none.
        var before: [UInt8] = []
        /// Earlier guesses that are disproved if this one gets an answer.
        var errorsBefore: [Told] = []
        /// Whether the first of those is a request that lost its answer if this guess is disproved.
        var beginsWithEcho = false
        /// Whether the line is the very first one.
        var isFirst = false

        /// An error and the line that it is about.
        struct Told: Hashable, Sendable {
            var line: Int
            var text: String
            var error: LinkError
        }

        /// A line that needs an answer, or is damaged.
        init(line: Int, text: String, error: LinkError? = nil, needsAnswer: Bool = true) {
            self.line = line
            self.text = text
            self.error = error ?? LinkError(.notAFrame, line: line)
            self.needsAnswer = needsAnswer
        }

        /// Puts this guess after an earlier guess that has no answer so far.
        mutating func follow(_ earlier: consuming Guess) {
            needsAnswer = true
            beginsWithEcho = earlier.isFirst || earlier.beginsWithEcho
            let told = Told(line: earlier.line, text: earlier.text, error: earlier.error)
            swap(&errorsBefore, &earlier.errorsBefore)
            errorsBefore.append(told)
        }
    }

    /// Treats a line as a request because of its form; `error` is reported if it turns out not to be one.
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
                // Cleared here, so that the list is not copied for each line.
                guess = nil
                guessed.follow(earlier)
            }
            guess = nil
        }
        ask(AdapterCommand.compact(bytes(text)), &out)
        guess = guessed
    }

    /// Checks an open guess against a message, which confirms the guess or shows that the line was not a
    /// request.
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

    /// Confirms a guess, because an answer to it arrived.
    mutating func confirmGuess(_ out: inout [ConversationItem]) {
        guard let guess else { return }
        self.guess = nil
        for told in guess.errorsBefore { tell(told, &out) }
    }

    /// Ends a guess to which no answer arrived.
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

    /// Whether a message can be an answer to the current request.
    ///
    /// Any refusal can be one. Other messages are compared by the service and, for a service of current data,
    /// by the first record.
    private func isAnswered(by message: ECUMessage) -> Bool {
        // SAE J1939 messages do not have a service.
        guard message.parameterGroup == nil, let request = reader.exchange.request,
            let service = request.first, let first = message.payload.first,
            first != Service.negativeResponse.rawValue
        else { return true }
        guard first == service &+ 0x40 else { return false }
        guard (0x01...0x02).contains(service), message.payload.count > 1 else { return true }
        return request.count == 1 || request.dropFirst().contains(message.payload[1])
    }
}
