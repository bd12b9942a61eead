import OBDCore
import Synchronization
import SystemIO

/// Speaks sentences through a program of the user, one after the other, on a thread of its own.
///
/// Each sentence is one argument; no shell reads it.
final class SpokenVoice: Sendable {
    private struct Waiting: Sendable {
        var sentences: [String] = []
        var isEnding = false
        var hasFailed = false
    }

    private let command: [String]
    private let waiting = Mutex(Waiting())
    private let news: EventDescriptor
    /// Ends the sentence that is being spoken.
    private let hurry: EventDescriptor
    private let failed: @Sendable (String) -> Void

    /// Older sentences than these are left out.
    private static let most = 3
    /// No sentence takes longer.
    private static let longest = Duration.seconds(15)

    /// A voice by a program and its arguments, separated by blanks; `failed` gets what went wrong, once.
    init(
        _ command: String, failed: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        self.command = command.split(separator: " ").map(String.init)
        self.failed = failed
        news = try EventDescriptor()
        hurry = try EventDescriptor()
    }

    /// Begins to speak on another thread, which ``end()`` waits for.
    func start() throws(SystemError) -> SystemThread {
        try SystemThread(named: "voice") { self.run() }
    }

    func say(_ text: String, isUrgent: Bool) {
        waiting.withLock { waiting in
            if isUrgent { hush(&waiting) }
            waiting.sentences.append(text)
            if waiting.sentences.count > Self.most { waiting.sentences.removeFirst() }
        }
        news.signal()
    }

    /// Lets the thread end after the last sentence, or at once.
    func end(atOnce: Bool) {
        waiting.withLock { waiting in
            if atOnce { hush(&waiting) }
            waiting.isEnding = true
        }
        news.signal()
    }

    /// Ends the sentence that is being spoken, and leaves out those that wait.
    ///
    /// The lock is held, so that no later sentence is taken for the one to end.
    private func hush(_ waiting: inout Waiting) {
        waiting.sentences = []
        hurry.signal()
    }

    private func run() {
        guard let program = command.first else { return }
        while true {
            let (text, isEnding) = waiting.withLock { waiting in
                hurry.take()
                let text = waiting.sentences.isEmpty ? nil : waiting.sentences.removeFirst()
                return (text, waiting.isEnding)
            }
            guard let text else {
                if isEnding { return }
                var list = WaitList()
                _ = list.add(news.descriptor)
                list.wait()
                news.take()
                continue
            }
            speak(text, program)
        }
    }

    private func speak(_ text: String, _ program: String) {
        var problem: String?
        do throws(SystemError) {
            let end = try ChildProcess.run(
                program, Array(command.dropFirst()) + [text],
                until: SystemClock.now() + Self.longest, cancelledBy: hurry.descriptor)
            switch end {
            case .exited(0), .killed: break
            case .exited(let code): problem = "\(program) ended with \(code)"
            case .signalled(let number): problem = "\(program) was ended by signal \(number)"
            }
        } catch {
            problem = "\(program) cannot be started: \(SystemError.text(of: error.errno))"
        }
        guard let problem else { return }
        let isNews = waiting.withLock { waiting in
            defer { waiting.hasFailed = true }
            return !waiting.hasFailed
        }
        if isNews { failed(problem) }
    }
}
