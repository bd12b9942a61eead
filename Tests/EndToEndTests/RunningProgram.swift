import CSystem
import Foundation
import Synchronization
import TestSupport

/// A process whose output is collected while the test waits for it.
final class RunningProgram: Sendable {
    /// The streams of a program.
    enum Stream: Sendable {
        case output, errors
    }

    /// An expected event that did not happen in time, with the output until then.
    struct Overdue: Error, CustomStringConvertible {
        var description: String
    }

    private struct Collected {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var isOutputOpen = true
        var areErrorsOpen = true
        /// The status from waitpid(2).
        var waitStatus: Int32?
    }

    /// The process id.
    let pid: pid_t
    private let output: any Outlet
    private let errors: any Outlet
    private let collected = Mutex(Collected())

    /// Starts a program; with its own terminal, it gets keys and draws there.
    init(
        _ path: String, _ arguments: [String], environment: [String: String],
        onTerminal: Bool = false
    ) throws {
        // Use named pipes, so that no other process that starts meanwhile can hold them open.
        let output: any Outlet = onTerminal ? try Screen() : try NamedPipe()
        let errors = try NamedPipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let input = onTerminal ? output.path : "/dev/null"
        posix_spawn_file_actions_addopen(&actions, 0, input, onTerminal ? O_RDWR : O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output.path, O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, errors.path, O_WRONLY, 0)
        // The program must not inherit the tests' signal mask and ignored signals.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // A separate session, so that Ctrl-C and hang-up of the terminal reach only this program.
        let session = onTerminal ? 0x80 : 0  // POSIX_SPAWN_SETSID
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | Int16(session))
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] =
            environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + settings { free(word) } }
        var process: pid_t = 0
        let error = posix_spawn(&process, path, &actions, &attributes, &words, &settings)
        guard error == 0 else {
            throw Overdue(description: "\(path): \(String(cString: strerror(error)))")
        }
        pid = process
        self.output = output
        self.errors = errors
    }

    deinit {
        if collected.withLock({ $0.waitStatus == nil }) {
            KeptObjects.keep(text(.output))
            kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
    }

    /// Sends a signal.
    func send(_ signal: Int32) {
        if collected.withLock({ $0.waitStatus == nil }) { kill(pid, signal) }
    }

    /// Types keys on its terminal.
    func type(_ keys: String) {
        _ = Array(keys.utf8).withUnsafeBytes { write(output.reading, $0.baseAddress, $0.count) }
    }

    /// Waits until `text` is drawn or written; after `earlier`, if that is given.
    func shows(
        _ text: String, after earlier: String = "", on stream: Stream = .output,
        within seconds: Int = 20
    ) async throws {
        try await onThread { [self] in
            try collect(within: seconds, "“\(text)”") {
                let output = self.text(stream)
                let begin = output.range(of: earlier)?.upperBound ?? output.startIndex
                return output[begin...].contains(text)
            }
        }
    }

    /// The output that was collected until now.
    func text(_ stream: Stream) -> String {
        collected.withLock {
            String(decoding: stream == .output ? $0.output : $0.errors, as: UTF8.self)
        }
    }

    /// Waits until this many complete lines with `text` are written; returns them.
    @discardableResult
    func lines(
        with text: String, count: Int = 1, on stream: Stream = .output, within seconds: Int = 20
    ) async throws -> [String] {
        try await onThread { [self] in
            var found: [String] = []
            try collect(within: seconds, "\(count) lines with “\(text)”") {
                let whole = self.text(stream).split(
                    separator: "\n", omittingEmptySubsequences: false
                ).dropLast()
                found = whole.filter { $0.contains(text) }.map(String.init)
                return found.count >= count
            }
            return found
        }
    }

    /// Waits for its end.
    func finish(within seconds: Int = 30) async throws -> Outcome {
        try await onThread { [self] in
            try collect(within: seconds, "the end") { false }
            var status: Int32 = 0
            if waitpid(pid, &status, 0) == pid { collected.withLock { $0.waitStatus = status } }
            status = collected.withLock { $0.waitStatus ?? 0 }
            let signal = status & 0x7F
            KeptObjects.keep(text(.output))
            KeptObjects.keep(text(.errors))
            return Outcome(
                output: text(.output), errors: text(.errors),
                status: signal == 0 ? (status >> 8) & 0xFF : -signal)
        }
    }

    /// Reads until `isEnough` returns true, both streams have ended, or the time is over.
    private func collect(
        within seconds: Int, _ what: String, until isEnough: () -> Bool
    ) throws {
        let deadline = sys_monotonic_ns() + Int64(seconds) * 1_000_000_000
        while !isEnough() {
            var waiting = collected.withLock { state in
                [
                    pollfd(
                        fd: state.isOutputOpen ? output.reading : -1, events: Int16(POLLIN),
                        revents: 0),
                    pollfd(
                        fd: state.areErrorsOpen ? errors.reading : -1, events: Int16(POLLIN),
                        revents: 0),
                ]
            }
            if waiting.allSatisfy({ $0.fd < 0 }) {
                if what == "the end" { return }
                throw Overdue(description: "it ended without \(what):\n\(everything)")
            }
            // The deadline also applies to a program that writes endlessly.
            guard sys_ppoll_until(&waiting, 2, deadline) > 0, sys_monotonic_ns() < deadline else {
                kill(pid, SIGKILL)
                throw Overdue(
                    description: "waited \(seconds) s for \(what):\n\(everything.suffix(4096))")
            }
            if waiting[0].revents != 0 { take(.output) }
            if waiting[1].revents != 0 { take(.errors) }
        }
    }

    private var everything: String { text(.output) + text(.errors) }

    private func take(_ stream: Stream) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = sys_read(
            stream == .output ? output.reading : errors.reading, &bytes, bytes.count)
        collected.withLock { state in
            switch (stream, count > 0) {
            case (.output, true): state.output += bytes.prefix(count)
            case (.output, false): state.isOutputOpen = false
            case (.errors, true): state.errors += bytes.prefix(count)
            case (.errors, false): state.areErrorsOpen = false
            }
        }
    }
}

/// A destination that a child process opens by its name.
private protocol Outlet: Sendable {
    var path: String { get }
    var reading: Int32 { get }
}

/// The master of a terminal.
private final class Screen: Outlet {
    let path: String
    let reading: Int32

    init() throws {
        var name = [CChar](repeating: 0, count: 64)
        reading = sys_open_pty(&name, name.count)
        guard reading >= 0 else { throw POSIXError(.EMFILE) }
        // Wide enough for whole sentences.
        var size = winsize(ws_row: 40, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(reading, UInt(TIOCSWINSZ), &size)
        path = String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { close(reading) }
}

/// The reading end of a pipe that a child opens by its name.
private final class NamedPipe: Outlet {
    let path: String
    let reading: Int32

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("obdscan-\(UUID().uuidString)").path
        guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.EMFILE) }
        reading = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }

    deinit {
        close(reading)
        unlink(path)
    }
}

/// Runs a blocking function on its own thread, so that other tests can continue.
func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
