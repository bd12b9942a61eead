import Foundation
import Glibc
import Testing

/// A person types an answer at a terminal.
@Suite struct `A question on a terminal` {
    private static let vehicle = "sim:petrol?engine=off&frozen=true&latency=0"

    // TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>.
    private static let setLock = UInt(0x4004_5431)
    private static let getNumber = UInt(0x8004_5430)

    /// Opens both ends of a new terminal.
    private func terminal() throws -> (master: Int32, slave: Int32) {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(master >= 0)
        var (unlocked, number) = (0 as Int32, 0 as UInt32)
        try #require(ioctl(master, Self.setLock, &unlocked) == 0)
        try #require(ioctl(master, Self.getNumber, &number) == 0)
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(slave >= 0)
        return (master, slave)
    }

    /// The terminal takes no output, as over a connection that hangs.
    @Test func `the live view continues and ends on a terminal that accepts no output`() throws {
        let program = try Program()
        defer { program.remove() }
        let (master, slave) = try terminal()
        defer { close(master) }
        let flags = fcntl(slave, F_GETFL)
        #expect(fcntl(slave, F_SETFL, flags | O_NONBLOCK) == 0)
        let noise = [UInt8](repeating: 0x78, count: 1024)
        while write(slave, noise, noise.count) > 0 {}
        #expect(fcntl(slave, F_SETFL, flags) == 0)
        let process = program.process([
            "live", "--log", "rpm", "--duration", "1s", "-d", Self.vehicle,
        ])
        // The view needs a terminal with a name.
        process.environment?["TERM"] = "xterm"
        let screen = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        process.standardInput = screen
        process.standardOutput = screen
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let trip = try program.run(["trips", "--format", "json"]).objects.first
        #expect(trip?["endReason"] as? String == "duration", "\(trip ?? [:])")
        #expect((trip?["readings"] as? Int ?? 0) > 0)
    }

    /// Runs `arguments` at a terminal where `line` is already typed, or is typed after this many milliseconds.
    private func run(
        _ arguments: [String], typing line: String, after pause: Int32? = nil, in program: Program
    ) throws -> (status: Int32, errors: String) {
        let (master, slave) = try terminal()
        defer { close(master) }
        let typed = Array((line + "\n").utf8)
        if pause == nil { #expect(write(master, typed, typed.count) == typed.count) }
        let process = program.process(arguments)
        let errors = program.home.appendingPathComponent("errors-\(UUID().uuidString)")
        try Data().write(to: errors)
        process.standardInput = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        if let pause {
            // Nothing comes from the terminal, whose output is elsewhere.
            _ = poll(nil, 0, pause)
            #expect(write(master, typed, typed.count) == typed.count)
        }
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOf: errors, encoding: .utf8))
    }

    @Test(arguments: [
        (["dtc", "clear", "-d", vehicle], "no", 1 as Int32),
        (["dtc", "clear", "-d", vehicle], "", 1),
        (["dtc", "clear", "-d", vehicle], "clear", 0),
        (["send", "04", "-d", vehicle], "y", 1), (["send", "04", "-d", vehicle], "yes", 0),
    ])
    func `only the whole word confirms, and anything else ends with 1`(
        _ arguments: [String], _ line: String, _ status: Int32
    ) throws {
        let program = try Program()
        defer { program.remove() }
        let result = try run(arguments, typing: line, in: program)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains("not confirmed: nothing was sent") == (status == 1))
    }

    /// The vehicle stands for eight seconds, in which the question is asked.
    @Test func `an answer does not count if the vehicle began to move`() throws {
        let program = try Program()
        defer { program.remove() }
        let result = try run(
            ["send", "04", "-d", "sim:electric?latency=0"], typing: "yes", after: 11_000,
            in: program)
        #expect(result.errors.contains("04 may change something"), "\(result.errors)")
        #expect(result.errors.contains("refused while the vehicle moves"), "\(result.errors)")
        #expect(result.status == 75)
    }

    @Test func `trips are deleted only if the user confirms`() throws {
        let program = try Program()
        defer { program.remove() }
        let log = try program.run(["log", "rpm", "--duration", "200ms", "-d", "sim:?latency=1ms"])
        #expect(log.status == 0)
        #expect(try run(["trips", "delete", "1"], typing: "no", in: program).status == 1)
        #expect(try program.run(["trips", "show", "1"]).status == 0)
        #expect(try run(["trips", "delete", "1"], typing: "delete", in: program).status == 0)
        #expect(try program.run(["trips", "show", "1"]).status == 64)
        let kept = try run(["db", "compact", "--keep", "1d"], typing: "later", in: program)
        #expect(kept.status == 1 && kept.errors.contains("nothing was deleted"))
    }
}
