import Foundation
import Testing

/// Programs on a machine without a battery clock, which learns the right time late.
@Suite(.ownThreads) struct `A machine without a battery clock` {
    private static let compiler = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    private let workplace: Workplace
    private let library: String

    init() async throws {
        workplace = try Workplace()
        library = workplace.path("clock.so")
        try FileManager.default.createDirectory(
            atPath: workplace.path("rtc/rtc0"), withIntermediateDirectories: true)
        // A battery clock without a battery begins in 1970.
        _ = try workplace.file("rtc/rtc0/since_epoch", "12\n")
        guard let compiler = Self.compiler else { return }
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("fake_clock.c").path
        let built = try await RunningProgram(
            compiler, ["-shared", "-fPIC", "-o", library, source, "-ldl"],
            environment: workplace.environment
        ).finish(within: 60)
        try #require(built.status == 0, "\(built)")
    }

    /// Sets the clock: how wrong it is, whether the kernel knows the time, and how long the machine has slept; unit: s.
    private func set(_ offset: Int, isSynchronised: Bool, slept: Int = 0) throws {
        _ = try workplace.file("state", "\(offset) \(isSynchronised ? 1 : 0) \(slept)")
    }

    private func start(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(
            Workplace.program, arguments,
            environment: workplace.environment.merging([
                "LD_PRELOAD": library, "FAKE_CLOCK": workplace.folder.path,
            ]) { $1 })
    }

    private func run(_ arguments: [String]) async throws -> Outcome {
        try await start(arguments).finish(within: 60)
    }

    /// How long ago each trip began, whether its clock was set, and its events; the first trip first.
    private func trips() async throws -> [(age: Double, clock: String?)] {
        try await workplace.run(["trips", "list", "--format", "json"]).objects().map { trip in
            let start = try #require(trip["start"] as? String)
            let form = ISO8601DateFormatter()
            form.formatOptions.insert(.withFractionalSeconds)
            // The formatter reads milliseconds.
            let date = try #require(form.date(from: String(start.prefix(23)) + "Z"), "\(start)")
            return (-date.timeIntervalSinceNow, trip["clock"] as? String)
        }
    }

    @Test(.enabled(if: compiler != nil, "no C compiler"))
    func `Trips of a wrong clock are marked, and corrected when the clock is set`() async throws {
        let log = ["log", "-d", "sim:petrol", "--every", "200ms", "rpm"]
        try set(-172_800, isSynchronised: false)
        let first = try await run(log + ["--duration", "1s", "--keep", "1d"])
        #expect(
            first.errors.contains("--keep deletes nothing: the clock of this machine is not set."),
            "\(first)")
        #expect(try await trips().map(\.clock) == ["unset"])
        let list = try await workplace.run(["trips"])
        #expect(list.output.contains("clock not set"), "\(list)")
        // The clock is set in the middle of the second trip.
        let second = try start(log + ["--duration", "8s"])
        try await second.shows("is being recorded", on: .errors)
        try set(0, isSynchronised: true)
        _ = try await second.finish(within: 60)
        let between = try await trips()
        #expect(between.map(\.clock) == ["unset", "set"])
        #expect(between[0].age > 172_700 && between[1].age < 120)
        // The next start of the same boot finds the first.
        let third = try await run(log + ["--duration", "1s"])
        #expect(third.errors.contains("its times moved by +2 d"), "\(third)")
        let after = try await trips()
        #expect(after.map(\.clock) == ["set", "set", "set"])
        #expect(after[0].age < 180 && after[0].age > after[1].age)
        for trip in ["1", "2"] {
            let events = try await workplace.run(["export", trip, "--format", "json"])
            let steps = events.output.split(separator: "\n").filter { $0.contains("clockSet") }
            #expect(steps.count == 1 && steps[0].contains("moved by +2 d"), "\(events)")
        }
        // By hand, to an earlier time and back.
        for (arguments, count) in [(["shift", "1", "2", "--by", "-2d"], 2), (["undo"], 0)] {
            let edited = try await workplace.run(["trips"] + arguments)
            #expect(edited.status == 0, "\(edited)")
            let moved = try await trips().filter { $0.age > 172_000 }
            #expect(moved.count == count, "\(edited)")
        }
    }

    @Test(.enabled(if: compiler != nil, "no C compiler"))
    func `Readings after the machine has slept have the right time`() async throws {
        try set(0, isSynchronised: true)
        let log = try start([
            "log", "-d", "sim:petrol", "--every", "200ms", "--duration", "2h", "rpm",
        ])
        try await log.shows("is being recorded", on: .errors)
        try set(0, isSynchronised: true, slept: 3600)
        let clock = ContinuousClock()
        let limit = clock.now + .seconds(30)
        var seconds: Double?
        while clock.now < limit, seconds.map({ $0 < 3600 }) ?? true {
            let trip = try #require(
                try await workplace.run(["trips", "--format", "json"]).objects().last)
            seconds = trip["seconds"] as? Double
        }
        log.send(SIGINT)
        let end = try await log.finish(within: 60)
        #expect(seconds.map { 3600..<3700 ~= $0 } ?? false, "\(end)")
        let events = try await workplace.run(["export", "1", "--format", "json"])
        #expect(!events.output.contains("clockSet"), "\(events)")
    }
}
