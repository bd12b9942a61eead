import Foundation
import Testing

/// Ports without a usable adapter: the message, the exit code, and the time until then.
@Suite(.ownThreads) struct `Ports without an adapter` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    @Test func `the error names the obdscan that has the device`() async throws {
        let adapter = try ScriptedAdapter(.pty) { .say(PlainAdapter.answer($0.text)) }
        // The program that serves a pty may have its other end open as well. The message must not
        // name that program.
        let server = open(adapter.address, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(server) }
        let first = try workplace.start(["live", "rpm", "-d", adapter.address])
        try await first.lines(with: "1726")
        let second = try await workplace.run(["info", "-d", adapter.address])
        #expect(second.status == 69)
        #expect(second.output.isEmpty)
        #expect(
            second.errors.contains(
                "\(adapter.address) is in use by obdscan (process \(first.pid))"),
            "\(second)")
        #expect(second.errors.contains("hint: end it first: kill \(first.pid)"))
        // The first program continues to get answers.
        let count = first.text(.output).split(separator: "\n").count
        try await first.lines(with: "1726", count: count + 2)
        first.send(SIGINT)
        #expect(try await first.finish().status == 0)
    }

    @Test(
        .enabled(
            if: Unprivileged.isPossible, "root sees no permissions, and setpriv cannot drop it"))
    func `if permission is missing, the error names the group and the command to type`()
        async throws
    {
        let adapter = try ScriptedAdapter(.pty) { _ in .nothing }
        chmod(adapter.address, 0o600)
        let (path, arguments) = Unprivileged.command(
            ["info", "-d", adapter.address], in: workplace)
        let outcome = try await RunningProgram(
            path, arguments, environment: workplace.environment
        ).finish()
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.errors.contains("\(adapter.address): permission denied"))
        #expect(outcome.errors.contains("hint: sudo usermod -aG "))
    }

    @Test(arguments: [ScriptedAdapter.Place.pty, .tcp])
    func `a port that never answers is reported`(place: ScriptedAdapter.Place) async throws {
        let adapter = try ScriptedAdapter(place) { _ in .nothing }
        let outcome = try await workplace.run(["info", "-d", adapter.address])
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("answer"), "\(outcome)")
        #expect(outcome.errors.contains("hint: is the adapter plugged into the car"))
        // Nothing could make the adapter repeat a request, and no request went to the vehicle. The
        // last attempt asks for a web page. The request ends no line with CR, so an adapter executes nothing.
        let heard = adapter.heard.map { $0.trimmingCharacters(in: .newlines) }
        #expect(heard.contains { $0.hasPrefix("AT") }, "\(heard)")
        #expect(heard.allSatisfy { $0 == "\u{7F}\u{7F}" || $0.hasPrefix("AT") }, "\(heard)")
    }

    @Test(arguments: [ScriptedAdapter.Place.pty, .tcp])
    func `a device that sends nonsense is reported`(place: ScriptedAdapter.Place) async throws {
        let adapter = try ScriptedAdapter(place) { _ in .say("\u{0}$GPGGA,1,2*7F\r\nHello?\r\n") }
        let outcome = try await workplace.run(["info", "-d", adapter.address])
        // Each dialect tries its first command once, which takes 6 s. The program does not start
        // over.
        #expect(adapter.heard.count { $0 == "ATZ" } == 1, "\(adapter.heard)")
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("bytes that are not from an adapter"), "\(outcome)")
        #expect(outcome.errors.contains("hint: "))
    }

    @Test(arguments: [ScriptedAdapter.Place.pty, .tcp])
    func `endless bytes without a prompt are reported`(place: ScriptedAdapter.Place) async throws {
        let adapter = try ScriptedAdapter(place) { _ in .talkOn("41 0C 1A F8 \r") }
        let outcome = try await workplace.run(["info", "-d", adapter.address], within: 40)
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("bytes that are not from an adapter"), "\(outcome)")
    }

    @Test func `an adapter that stops sending its prompt is reported`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            line.text == "ATRV" ? .say("12.6V\r") : .say(PlainAdapter.answer(line.text))
        }
        let outcome = try await workplace.run(["info", "-d", adapter.address])
        // The rest of the information is printed.
        #expect(outcome.output.contains("0C 0D"), "\(outcome)")
        #expect(outcome.status == 0)
    }

    @Test func `an endless answer is reported`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            PlainAdapter.asksEngineSpeed(line.text)
                ? .talkOn("7E804410C1AF8\r") : .say(PlainAdapter.answer(line.text))
        }
        let outcome = try await workplace.run(["read", "rpm", "-d", adapter.address], within: 40)
        #expect([69, 75].contains(outcome.status), "exit code \(outcome.status)")
        #expect(outcome.errors.contains(adapter.address.dropFirst(4)), "\(outcome.errors)")
    }
}

/// Runs the program without the privileges of root.
enum Unprivileged {
    /// Whether the machine allows tests of permissions.
    static let isPossible: Bool = {
        guard geteuid() == 0 else { return true }
        guard let workplace = try? Workplace() else { return false }
        let (path, arguments) = command(["--version"], in: workplace)
        let trial = Process()
        trial.executableURL = URL(fileURLWithPath: path)
        trial.arguments = arguments
        trial.standardOutput = FileHandle.nullDevice
        trial.standardError = FileHandle.nullDevice
        guard (try? trial.run()) != nil else { return false }
        trial.waitUntilExit()
        return trial.terminationStatus == 0
    }()

    /// The command line that runs the program with these arguments.
    ///
    /// As root, the user `nobody` runs a copy that all users may read.
    static func command(
        _ arguments: [String], in workplace: Workplace
    ) -> (path: String, arguments: [String]) {
        guard geteuid() == 0 else { return (Workplace.program, arguments) }
        let copy = workplace.path("obdscan")
        let script = """
            cp '\(Workplace.program)' '\(copy)' && chmod 755 '\(copy)' &&
            exec setpriv --reuid=65534 --regid=65534 --clear-groups '\(copy)' "$@"
            """
        return ("/bin/sh", ["-c", script, "sh"] + arguments)
    }
}
