import Foundation
import Testing

/// Databases in places where the program cannot write, and commands that are killed while they
/// create one.
@Suite(.ownThreads) struct `A database in an odd place` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// The database was closed regularly, or a kill left a write-ahead log that contains the trip.
    @Test(
        .enabled(if: TinyDisk.isPossible, "no file system can be mounted here"),
        arguments: [false, true])
    func `a database on a read-only file system can be read`(isBrokenOff: Bool) async throws {
        let disk = TinyDisk(workplace, kilobytes: 20_000)
        // A path with a character outside of ASCII, and with characters that have a meaning in a
        // URI.
        let path = "\(disk.path)/a ?#%é.db"
        let outcome = try await disk.start(
            """
            export DB='\(path)'
            "$OBDSCAN" log rpm --duration 1s -d 'sim:?latency=5ms' --db "$DB" -q
            if \(isBrokenOff); then
                # As a process leaves it that is killed: its last transactions are in the log alone.
                mkfifo wait
                "$OBDSCAN" log rpm -d 'sim:?latency=5ms' --db "$DB" --format json > wait & log=$!
                head -n 300 wait > /dev/null & wait $!
                kill -KILL $log; wait $log; rm -f "$DB-shm"
            fi
            mount -o remount,ro \(disk.path)
            "$OBDSCAN" trips --format json --db "$DB"; echo "trips $?" >&2
            "$OBDSCAN" db check --db "$DB" > /dev/null; echo "check $?" >&2
            "$OBDSCAN" export --all --to copy.db --db "$DB"; echo "export $?" >&2
            "$OBDSCAN" trips --format json --db copy.db
            "$OBDSCAN" db merge "$DB" --db merged.db > /dev/null; echo "merge $?" >&2
            "$OBDSCAN" read rpm -d sim: --db "$DB" > /dev/null; echo "read $?" >&2
            "$OBDSCAN" trips name 1 x --db "$DB"; echo "write $?" >&2
            "$OBDSCAN" log rpm --duration 1s -d sim: --db "$DB"; echo "log $?" >&2
            ls \(disk.path) >&2
            """
        ).finish(within: 120)
        for word in ["trips 0", "check 0", "export 0", "merge 0", "read 0", "write 77", "log 77"] {
            #expect(outcome.errors.contains(word), "\(outcome)")
        }
        #expect(outcome.errors.contains("is on a file system that is mounted read-only"))
        let trips = try outcome.objects()
        let half = trips.count / 2
        #expect(half == (isBrokenOff ? 2 : 1), "\(outcome)")
        #expect(
            trips[..<half].map { $0["readings"] as? Int }
                == trips[half...].map { $0["readings"] as? Int })
    }

    /// Each command is killed as soon as its working folder exists.
    ///
    /// If it was faster, the result is complete.
    @Test(arguments: ["recover", "export"])
    func `a new database is complete or missing after a kill`(command: String) async throws {
        let logged = try await workplace.run([
            "log", "--duration", "2s", "-d", "sim:petrol?latency=0", "-q",
        ])
        #expect(logged.status == 0, "\(logged)")
        let shelf = workplace.path("shelf")
        try FileManager.default.createDirectory(atPath: shelf, withIntermediateDirectories: false)
        let target = shelf + "/new.db"
        let words =
            command == "recover" ? ["db", "recover", "--to", target] : ["export", "--to", target]
        let program = try workplace.start(words)
        try await onThread {
            while try FileManager.default.contentsOfDirectory(atPath: shelf).isEmpty {
                sched_yield()
            }
        }
        program.send(SIGKILL)
        let ended = try await program.finish()
        if FileManager.default.fileExists(atPath: target) {
            let check = try await workplace.run(["db", "check", "--db", target])
            #expect(check.status == 0 && !check.output.contains("0 trips"), "\(check)")
            try FileManager.default.removeItem(atPath: target)
        } else {
            #expect(ended.status == -SIGKILL, "\(ended)")
        }
        // The next run removes the remains and is complete.
        let again = try await workplace.run(words)
        #expect(again.status == 0, "\(again)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: shelf) == ["new.db"])
    }

    /// The whole program in one case of each kind.
    ///
    /// The tests of the store have all cases.
    @Test(arguments: [true, false])
    func `a trip is saved when its database file disappears during recording`(isReplaced: Bool)
        async throws
    {
        let program = try workplace.start([
            "log", "rpm", "--format", "json", "-d", "sim:?latency=5ms",
        ])
        try await program.lines(with: "\"RPM\"", count: 300)
        let path = workplace.database
        if isReplaced {
            try Data("mine\n".utf8).write(to: URL(fileURLWithPath: path + ".other"))
            #expect(rename(path + ".other", path) == 0)
            try await program.lines(with: "was replaced by another file", on: .errors)
        } else {
            for end in ["", "-wal", "-shm"] {
                try FileManager.default.removeItem(atPath: path + end)
            }
            try await program.lines(with: "was removed; it was created again", on: .errors)
        }
        program.send(SIGTERM)
        let outcome = try await program.finish()
        #expect(outcome.status == (isReplaced ? 73 : 0), "\(outcome.errors)")
        let trips = try await workplace.run(
            ["trips", "--format", "json", "--db", path + (isReplaced ? ".saved" : "")]
        ).objects()
        let printed = try outcome.objects().count { $0["signal"] != nil }
        #expect(trips.count == 1 && trips.first?["readings"] as? Int == printed, "\(trips)")
    }
}
