import Foundation
import Testing

/// An adapter on a UNIX-domain socket, which a foreign program serves as socat would.
@Suite(.ownThreads) struct `An adapter behind a UNIX socket` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Connects each client of a UNIX socket to a TCP port.
    private static let bridge = """
        import socket, sys, threading
        def pump(source, sink):
            try:
                while data := source.recv(4096):
                    sink.sendall(data)
                sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1])
        server.listen()
        print("listens", flush=True)
        while True:
            host, _ = server.accept()
            adapter = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
            for ends in (host, adapter), (adapter, host):
                threading.Thread(target=pump, args=ends, daemon=True).start()
        """

    /// The path must be short: one in the folder of the tests may be too long for a socket.
    private let path = "/tmp/obdscan-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"

    /// Calls `body` with a simulated vehicle on a UNIX socket.
    private func served(
        _ body: (_ device: String) async throws -> Void
    ) async throws {
        let adapter = try workplace.start(["simulate", "--tcp", "0", "--latency", "0"])
        let address = try #require(await adapter.lines(with: "tcp:").first)
        let port = try #require(address.split(separator: ":").last)
        let script = try workplace.file("bridge.py", Self.bridge)
        let bridge = try RunningProgram(
            "/usr/bin/env", ["python3", script, path, String(port)],
            environment: workplace.environment)
        defer {
            bridge.send(SIGTERM)
            adapter.send(SIGTERM)
            unlink(path)
        }
        try await bridge.lines(with: "listens")
        try await body("unix:\(path)")
    }

    @Test func `commands use and remember an adapter on a socket`() async throws {
        try await served { device in
            let read = try await workplace.run(
                ["read", "RPM", "--format", "json", "-d", device])
            #expect(read.status == 0, "\(read)")
            #expect(try read.objects().contains { $0["signal"] as? String == "RPM" })
            let doctor = try await workplace.run(["doctor", "--format", "json", "-d", device])
            #expect(doctor.status == 0, "\(doctor)")
            #expect(
                try doctor.objects().prefix(3).map { $0["step"] as? String } == [
                    "address", "link", "adapter",
                ])
            let log = try await workplace.run(
                ["log", "RPM", "--duration", "1s", "-d", device])
            #expect(log.status == 0, "\(log)")
            // `devices` lists the sockets that obdscan remembers.
            let devices = try await workplace.run(["devices", "list", "--format", "json"])
            #expect(try devices.objects().contains { $0["id"] as? String == device }, "\(devices)")
        }
    }

    @Test func `two names of one socket are one adapter`() async throws {
        try await served { device in
            let again = "unix:/tmp/.\(device.dropFirst("unix:/tmp".count))"
            let outcome = try await workplace.run(["log", "RPM", "-d", device, "-d", again])
            #expect(outcome.status == 64, "\(outcome)")
            #expect(outcome.errors.contains(device) && outcome.errors.contains(again))
        }
    }

    @Test(arguments: [
        ("unix:/nowhere/a", 69, "/nowhere/a: the socket does not exist"),
        ("unix:/dev/null", 69, "/dev/null is not a socket"),
        ("unix:", 64, "\"unix:\" names no path"),
        ("unix:/tmp/" + String(repeating: "s", count: 103), 64, "the path has 108 bytes"),
        ("unx:/tmp/a", 64, "did you mean unix:/tmp/a?"), ("unix", 64, "the form is unix:PATH"),
    ])
    func `the error says why a socket cannot be opened`(
        device: String, status: Int, text: String
    ) async throws {
        let outcome = try await workplace.run(["read", "RPM", "-d", device])
        #expect(outcome.status == Int32(status), "\(outcome)")
        #expect(outcome.errors.contains(text), "\(outcome)")
        #expect(outcome.errors.contains("hint: "))
        #expect(outcome.output.isEmpty)
    }

    @Test(
        .enabled(
            if: Unprivileged.isPossible, "root sees no permissions, and setpriv cannot drop it"))
    func `the error says that the user lacks permission`() async throws {
        try await served { device in
            chmod(path, 0o400)
            let (program, arguments) = Unprivileged.command(
                ["read", "RPM", "-d", device], in: workplace)
            let outcome = try await RunningProgram(
                program, arguments, environment: workplace.environment
            ).finish()
            #expect(outcome.status == 77, "\(outcome)")
            #expect(outcome.errors.contains("\(path): permission denied"), "\(outcome)")
            #expect(outcome.errors.contains("hint: namei -l \(path)"), "\(outcome)")
        }
    }
}
