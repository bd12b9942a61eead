import Foundation
import Testing

/// The whole program over DoIP, with our simulated gateway and with a foreign one.
@Suite(.ownThreads) struct `Vehicles with DoIP` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private static let vehicle = "petrol?frozen=true&latency=2ms"

    /// The objects that a command prints, without the values that differ between links: the time and the
    /// addresses of the ECUs.
    private func objects(_ command: [String], _ device: String) async throws -> [NSDictionary] {
        let outcome = try await workplace.run(command + ["--format", "json", "-d", device])
        #expect(outcome.status == 0, "\(outcome)")
        return try outcome.objects().filter { $0["kind"] as? String != "adapter" }.map { object in
            var object = object
            object["time"] = nil
            object["ecu"] = nil
            object["raw"] = nil
            return object as NSDictionary
        }
    }

    /// A vehicle gives the same objects through an ELM327 and through a gateway; `LinkAnswerTests` compares the answers
    /// of other vehicles on a manual clock.
    @Test(arguments: ["petrol"])
    func `answers over DoIP equal those of an adapter`(scenario: String) async throws {
        for command in [["read", "RPM", "VSS", "ECT"], ["dtc"], ["monitors"]] {
            let options = "\(scenario)?frozen=true&latency=2ms"
            let here = try await objects(command, "sim:\(options)&personality=doip")
            let there = try await objects(command, "sim:\(options)")
            #expect(here == there, "\(command)")
            #expect(!here.isEmpty)
        }
    }

    @Test func `a gateway answers on TCP and UDP, in every way of asking`() async throws {
        let served = try workplace.start([
            "simulate", Self.vehicle, "--doip", "127.0.0.1:0",
        ])
        let address = try #require(try await served.lines(with: "doip:127.0.0.1:").first)

        let sent = try await workplace.run([
            "send", "22F190", "--ecu", "1010", "--format", "json", "-d", address,
        ])
        #expect(sent.status == 0, "\(sent)")
        #expect(sent.output.contains("\"ecu\":\"1010\""))

        let codes = try await workplace.run([
            "dtc", "list", "--all-modules", "--format", "json", "-d", address,
        ])
        #expect(codes.status == 0, "\(codes)")
        #expect(codes.output.contains("\"ecu\":\"1010\""))

        let trip = try await workplace.run([
            "log", "RPM", "--duration", "1", "--format", "json", "-d", address,
        ])
        #expect(trip.status == 0, "\(trip)")
        let summary = try trip.objects().last
        #expect(try #require(summary?["readings"] as? Int) > 20)
        #expect(summary?["timeouts"] as? Int == 0)
        #expect(summary?["errors"] as? Int == 0)
        // The database keeps the logical address, and an export shows it.
        let exported = try await workplace.run(["export", "--to", "-", "--format", "json"])
        #expect(exported.output.contains("\"ecu\":\"1010\""), "\(exported)")

        let shown = try await workplace.run(["devices", "show", address, "--format", "json"])
        #expect(shown.status == 0, "\(shown)")
        #expect(shown.output.contains("DoIP gateway 1000"))

        let checked = try await workplace.run(["doctor", "-d", address])
        #expect(checked.status == 0, "\(checked)")
        #expect(checked.output.contains("DoIP gateway 1000"))
    }

    @Test func `a recording replays`() async throws {
        for command in ["read RPM VSS", "dtc", "info"] {
            let talk = try await workplace.shell(
                """
                rm -f talk; "$OBDSCAN" \(command) --format json --record talk \
                -d 'sim:\(Self.vehicle)&personality=doip' > live && \
                "$OBDSCAN" \(command) --format json -d replay:talk > again && \
                for f in live again; do sed -E 's/"time":"[^"]*"//; /"kind":"adapter"/d' $f > $f.1; done
                diff live.1 again.1 && wc -l < live.1 && echo same
                """)
            #expect(talk.status == 0, "\(talk)")
            #expect(talk.output.hasSuffix("same\n"), "\(talk)")
        }
    }

    @Test func `a recording of DoIP is not decoded as text`() async throws {
        let outcome = try await workplace.shell(
            """
            "$OBDSCAN" read RPM --record talk -d 'sim:\(Self.vehicle)&personality=doip' && \
            "$OBDSCAN" decode talk
            """)
        #expect(outcome.status == 65, "\(outcome)")
        #expect((outcome.output + outcome.errors).contains("replay:FILE plays it"), "\(outcome)")
    }

    /// The command, the exit code, and a part of the message.
    @Test(arguments: [
        (["-d", "sim:petrol?personality=doip", "--adapter", "elm327"], 64, "is a DoIP gateway"),
        (["-d", "sim:petrol", "--protocol", "doip"], 64, "is not a DoIP gateway"),
        (["-d", "doip:127.0.0.1:1"], 69, "nothing listens there: turn the ignition on"),
        (["-d", "doip:127.0.0.1?source=12"], 64, "is not a valid source address"),
        (["-d", "sim:petrol?personality=doip&ignition=off"], 75, "cannot reach the ECU"),
        (["-d", "sim:petrol?personality=doip", "--ecu", "1999"], 69, "knows no ECU"),
    ])
    func `an error says why the vehicle cannot be read`(
        arguments: [String], status: Int32, words: String
    ) async throws {
        let outcome = try await workplace.run(["dtc"] + arguments)
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.errors.contains(words), "\(outcome)")
    }

    @Test func `a gateway refuses testers by their address`() async throws {
        let served = try workplace.start([
            "simulate", Self.vehicle, "--doip", "127.0.0.1:0",
        ])
        let address = try #require(try await served.lines(with: "doip:127.0.0.1:").first)
        let outcome = try await workplace.run(["dtc", "-d", "\(address)?source=1234"])
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.contains("does not know this tester's address"), "\(outcome)")
    }

    @Test func `AT commands do not work over DoIP`() async throws {
        let outcome = try await workplace.run([
            "send", "AT RV", "-d", "sim:petrol?personality=doip",
        ])
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.contains("no adapter there takes commands"), "\(outcome)")
    }

    /// doip-server 2026.6.14 with two ECUs.
    ///
    /// The server sends the acknowledgement and the answer in separate segments.
    @Test(
        .enabled(if: Emulator.folder != nil, "OBDSCAN_PEERS is not set: run scripts/setup peers"))
    func `another project's gateway is read, one ECU alone and both at once`() async throws {
        let port = try LoopbackPort.free()
        for (name, text) in Self.gateway(port) { _ = try workplace.file(name, text) }
        let folder = Emulator.folder ?? ""
        let server = try RunningProgram(
            "/bin/sh",
            [
                "-c",
                "cd '\(workplace.folder.path)' && exec '\(folder)/python' -m doip_server.main "
                    + "--gateway-config gateway.yaml 2>&1",
            ], environment: workplace.environment.merging(["PYTHONUNBUFFERED": "1"]) { $1 })
        try await server.lines(with: "listening on", within: 30)
        let address = "doip:127.0.0.1:\(port)"
        let both = try await workplace.run([
            "read", "RPM", "--format", "json", "-d", address,
        ])
        #expect(both.status == 0, "\(both)\n\(server.text(.output))")
        let readings = try both.objects().filter { $0["kind"] as? String == "reading" }
        #expect(Set(readings.compactMap { $0["ecu"] as? String }) == ["1010", "1011"])
        #expect(readings.allSatisfy { $0["value"] as? Double == 1726 })
        let one = try await workplace.run([
            "send", "22F190", "--ecu", "1011", "--format", "json", "-d", address,
        ])
        #expect(one.status == 0, "\(one)")
        #expect(one.output.contains("1HGBH414XMN109186"), "\(one)")
        #expect(!one.output.contains("\"ecu\":\"1010\""))
    }

    /// The configuration files of the foreign gateway.
    private static func gateway(_ port: UInt16) -> [(String, String)] {
        func ecu(_ name: String, _ address: String) -> (String, String) {
            (
                "\(name).yaml",
                """
                ecu:
                  name: \(name)
                  target_address: 0x\(address)
                  functional_address: 0xE400
                  tester_addresses: [0x0E80]
                  uds_services:
                    service_files: ["services.yaml"]
                    common_services: [UDS, VIN, RPM, MAP]

                """
            )
        }
        return [
            ecu("engine", "1010"), ecu("abs", "1011"),
            (
                "services.yaml",
                """
                common_services:
                  UDS: {request: "0x22F810", responses: ["0x62F81001"], supports_functional: true}
                  MAP: {request: "0x22F400", responses: ["0x62F40000100000"], supports_functional: true}
                  VIN: {request: "0x22F190", responses: ["0x62F1903148474248343134584D4E313039313836"], supports_functional: true}
                  RPM: {request: "0x22F40C", responses: ["0x62F40C1AF8"], supports_functional: true}

                """
            ),
            (
                "gateway.yaml",
                """
                gateway:
                  name: G
                  logical_address: 0x1000
                  network: {host: "127.0.0.1", port: \(port), max_connections: 5, timeout: 30}
                  protocol: {version: 0x02, inverse_version: 0xFD}
                  vehicle: {vin: "1HGBH41JXMN109186", eid: "123456789ABC", gid: "DEF012345678"}
                  ecus: ["engine.yaml", "abs.yaml"]

                """
            ),
        ]
    }
}
