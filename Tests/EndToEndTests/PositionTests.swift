import Foundation
import Testing

/// The positions of a trip: from a receiver's sentences, and from Debian's gpsd with a track that
/// gpsfake plays.
@Suite(.ownThreads) struct `Positions` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Points along a line, `step` seconds apart, in a receiver's format.
    ///
    /// Every tenth sentence is damaged if so asked.
    private func track(_ count: Int, step: Double = 0.02, damaged: Bool = false) throws -> String {
        func sentence(_ body: String) -> String {
            "$\(body)*" + String(format: "%02X", body.utf8.reduce(0, ^)) + "\r\n"
        }
        var text = ""
        for index in 0..<count {
            let seconds = Double(index) * step
            let time = String(
                format: "12%02d%05.2f", Int(seconds) / 60,
                seconds.truncatingRemainder(dividingBy: 60))
            let place = String(format: "48%07.4f,N,011%07.4f,E", 7 + Double(index) / 50, 31.0)
            text += sentence("GPGGA,\(time),\(place),1,08,0.9,545.4,M,46.9,M,,")
            let rmc = sentence("GPRMC,\(time),A,\(place),22.4,054.7,221126,,,A")
            text += rmc
            if damaged && index % 10 == 9 {
                text += rmc.replacingOccurrences(of: "54.7", with: "54.8")
            }
        }
        return try workplace.file("track.nmea", text)
    }

    private func log(_ gps: String, _ more: [String] = []) async throws -> Outcome {
        try await workplace.run(
            [
                "log", "rpm", "--duration", "2s", "--format", "json", "-d", "sim:?latency=20ms",
                "--gps", gps,
            ] + more, within: 60)
    }

    private func positions() async throws -> [[String: Any]] {
        try await workplace.run(["export", "--format", "json"]).objects()
            .filter { $0["kind"] as? String == "position" }
    }

    @Test func `NMEA sentences become positions, damaged sentences are dropped and counted`()
        async throws
    {
        let outcome = try await log(track(40, damaged: true))
        #expect(outcome.status == 0, "\(outcome)")
        let summary = try #require(try outcome.objects().last?["positions"] as? [String: Any])
        #expect(summary["kept"] as? Int == 40)
        #expect(summary["damaged"] as? Int == 4)
        let found = try await positions()
        #expect(found.count == 40)
        #expect(found.first?["latitude"] as? Double == 48 + 7.0 / 60)
        #expect(found.first?["altitude"] as? Double == 545.4)
        // 22.4 knots = 41.4848 km/h.
        #expect(abs(try #require(found.first?["speed"] as? Double) - 41.4848) < 1e-6)
        #expect(found.first?["fixTime"] as? String == "2026-11-22T12:00:00.000000Z")
        // The file plays at the pace of its own times, and does not arrive at once.
        let times = found.compactMap { ($0["time"] as? String)?.dropLast().suffix(9) }.compactMap {
            Double($0)
        }
        let first = try #require(times.first), last = try #require(times.last)
        let passed = (last - first + 60).truncatingRemainder(dividingBy: 60)
        #expect((0.77..<50).contains(passed), "\(passed)")
        // A track needs no other file: other programs read it, and it has the vehicle's values.
        let gpx = try await workplace.run(["export", "--format", "gpx"]).output
        #expect(gpx.components(separatedBy: "<trkpt").count == 41)
        let kml = try await workplace.run(["export", "--format", "kml"]).output
        #expect(kml.components(separatedBy: "<gx:coord>").count == 41)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/gpsbabel"), "no gpsbabel"))
    func `gpsbabel reads GPX and KML`() async throws {
        _ = try await log(track(40))
        for format in ["gpx", "kml"] {
            let file = workplace.path("track.\(format)")
            #expect(try await workplace.run(["export", "--to", file]).status == 0)
            let read = try await workplace.shell(
                "/usr/bin/gpsbabel -t -i \(format) -f \(file) -o unicsv -F -")
            #expect(read.status == 0, "\(read)")
            #expect(read.output.split(whereSeparator: \.isNewline).count == 41, "\(read)")
            #expect(read.output.contains("48.116667"), "\(read)")
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/gpsfake"), "no gpsd"))
    func `gpsd replays a recorded track`() async throws {
        let port = Int.random(in: 20_000..<30_000)
        let daemon = try RunningProgram(
            "/usr/bin/env",
            ["gpsfake", "-q", "-P", String(port), "-c", "0.1", try track(3000, step: 1)],
            environment: workplace.environment.merging(["PATH": "/usr/bin:/bin:/usr/sbin"]) { $1 })
        defer { daemon.send(SIGTERM) }
        // The program retries until gpsd listens.
        let outcome = try await log("gpsd://127.0.0.1:\(port)", ["--duration", "12s"])
        #expect(outcome.status == 0, "\(outcome)")
        let found = try await positions()
        #expect(found.count > 3, "\(outcome)")
        #expect(found.allSatisfy { ($0["latitude"] as? Double ?? 0) > 48.1 })
        let times = found.map { $0["fixTime"] as? String ?? "none" }
        // If gpsd has only got a GGA sentence so far, the first position has no date.
        #expect(times.dropFirst().allSatisfy { $0.hasPrefix("2026-11-22T12") }, "\(times)")
    }

    @Test func `without a receiver the trip is recorded anyway`() async throws {
        let outcome = try await log("/nowhere/ttyUSB9")
        #expect(outcome.status == 0, "\(outcome)")
        let reason = "no positions: there is no device or file /nowhere/ttyUSB9"
        #expect(outcome.errors.contains(reason), "\(outcome)")
        #expect(try await positions().isEmpty)
        let wrong = try await log("ttyUSB9")
        #expect(wrong.status == 64, "\(wrong)")
    }
}
