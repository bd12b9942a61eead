import Foundation

/// A separate folder for one test, and the built `obdscan` that runs in it.
final class Workplace: Sendable {
    /// `obdscan`: the path in the environment variable OBDSCAN, else the program next to the tests.
    static let program =
        ProcessInfo.processInfo.environment["OBDSCAN"]
        ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("obdscan").path

    /// The folder for all files of a test; removed at its end.
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("obdscan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Writes a file into the folder; returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
        return path(name)
    }

    /// The database that commands use.
    var database: String { path("obdscan.db") }

    /// The environment of the program, without the tester's own settings.
    var environment: [String: String] {
        var variables = [
            "HOME": folder.path, "XDG_DATA_HOME": folder.path, "XDG_CONFIG_HOME": folder.path,
            "OBDSCAN_DB": database, "TZ": "UTC", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin",
            "TERM": "xterm",
        ]
        // Pass on the setting of `scripts/coverage`.
        variables["LLVM_PROFILE_FILE"] = ProcessInfo.processInfo.environment["LLVM_PROFILE_FILE"]
        return variables
    }

    /// Starts the program.
    func start(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(Self.program, arguments, environment: environment)
    }

    /// Starts the program on its own terminal.
    func startOnTerminal(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(
            Self.program, arguments, environment: environment, onTerminal: true)
    }

    /// Runs the program to its end.
    func run(_ arguments: [String], within seconds: Int = 30) async throws -> Outcome {
        try await start(arguments).finish(within: seconds)
    }

    /// Runs the program to its end, from a command line for `sh`; `$OBDSCAN` is the program.
    func shell(_ line: String, within seconds: Int = 30) async throws -> Outcome {
        try await RunningProgram(
            "/bin/sh", ["-c", "cd \"$HOME\" || exit 99\n\(line)"],
            environment: environment.merging(["OBDSCAN": Self.program]) { _, new in new }
        ).finish(within: seconds)
    }
}

/// The result of a run.
struct Outcome: Sendable, CustomStringConvertible {
    /// Standard output.
    var output: String
    /// Standard error.
    var errors: String
    /// The exit code; the negated signal of a process that a signal ended.
    var status: Int32

    var description: String { "exit code \(status)\n\(output)\(errors)" }

    /// The objects of JSON Lines on standard output.
    ///
    /// - Throws: An error if a line is not an object.
    func objects() throws -> [[String: Any]] { try Self.objects(output) }

    /// The objects of JSON Lines.
    static func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            guard
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                    as? [String: Any]
            else { throw NotAnObject(line: String(line)) }
            return object
        }
    }

    struct NotAnObject: Error {
        var line: String
    }
}
