import Foundation
import TestSupport

/// The built `obdscan` as a process, in its own environment.
struct Program {
    /// The result of a run.
    struct Result {
        var output: String
        var errors: String
        /// The exit code; the negated signal of a process that a signal ended.
        var status: Int32

        /// The objects of JSON Lines on standard output.
        var objects: [[String: Any]] {
            output.split(separator: "\n").compactMap { line in
                (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
            }
        }
    }

    /// `obdscan`: the path in the environment variable OBDSCAN, else the program next to the tests.
    static var executable: URL {
        if let named = ProcessInfo.processInfo.environment["OBDSCAN"] {
            return URL(fileURLWithPath: named)
        }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("obdscan")
    }

    /// The folder with the input files of the tests.
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("CommandLine")

    /// A new folder for the user's data.
    let home: URL

    init() throws {
        home = FileManager.default.temporaryDirectory
            .appendingPathComponent("obdscan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    }

    /// Removes the folder.
    func remove() {
        try? FileManager.default.removeItem(at: home)
    }

    /// The database that commands use.
    var database: URL { home.appendingPathComponent("obdscan/obdscan.db") }

    /// Writes a file into the folder; returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        let file = home.appendingPathComponent(name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    /// A process that is ready to run; nothing of the tester's own settings reaches it.
    func process(_ arguments: [String], environment: [String: String] = [:]) -> Process {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.currentDirectoryURL = Self.folder
        process.environment = [
            "HOME": home.path, "XDG_DATA_HOME": home.path, "TZ": "UTC", "LANG": "C.UTF-8",
            "PATH": "/usr/bin:/bin",
        ].merging(environment) { _, new in new }
        // Pass on the settings of `scripts/coverage` and `scripts/sanitize`.
        for name in ["LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
            process.environment?[name] = ProcessInfo.processInfo.environment[name]
        }
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// Runs until this many lines of standard output contain `text`, then sends Ctrl-C.
    func run(_ arguments: [String], until text: String, count: Int = 1) throws -> Result {
        let process = process(arguments)
        let output = Pipe()
        let errors = home.appendingPathComponent("stderr-\(UUID().uuidString)")
        try Data().write(to: errors)
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        var read = Data()
        var isInterrupted = false
        // The piece is empty at the end of the output, also if the text never appears.
        while case let piece = output.fileHandleForReading.availableData, !piece.isEmpty {
            read += piece
            let lines = String(decoding: read, as: UTF8.self).split(separator: "\n")
            if !isInterrupted, lines.count(where: { $0.contains(text) }) >= count {
                isInterrupted = true
                process.interrupt()
            }
        }
        process.waitUntilExit()
        return Result(
            output: String(decoding: read, as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self),
            status: process.status)
    }

    /// Runs the program to its end.
    func run(
        _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
    ) throws -> Result {
        let process = process(arguments, environment: environment)
        // Use files and not pipes, because one pipe could fill up while the other one is read.
        let output = home.appendingPathComponent("stdout-\(UUID().uuidString)")
        let errors = home.appendingPathComponent("stderr-\(UUID().uuidString)")
        for file in [output, errors] {
            try Data().write(to: file)
        }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        if let input {
            let pipe = Pipe()
            process.standardInput = pipe
            try process.run()
            pipe.fileHandleForWriting.write(Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        } else {
            try process.run()
        }
        process.waitUntilExit()
        let result = Result(
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self),
            status: process.status)
        KeptObjects.keep(result.output)
        KeptObjects.keep(result.errors)
        return result
    }
}

extension Process {
    /// The exit code; the negated signal of a process that a signal ended.
    var status: Int32 {
        terminationReason == .uncaughtSignal ? -terminationStatus : terminationStatus
    }
}
