import Diagnostics
import OBDCore
import PIDTables
import Testing

@Suite struct `SAE J1939 identification and readiness` {
    private func decode(_ group: UInt32, _ payload: [UInt8]) throws -> [DiagnosticItem] {
        var decoder = ResponseDecoder(
            table: try PIDTables.standard(), monitors: try PIDTables.monitorTables())
        var message = ECUMessage(ecu: ECUAddress(0x00, .byte), payload: payload)
        message.parameterGroup = group
        var items: [DiagnosticItem] = []
        decoder.decode(message, in: Exchange(vehicleProtocol: .j1939), &items)
        return items
    }

    private func texts(_ items: [DiagnosticItem]) throws -> [String] {
        let table = try PIDTables.standard()
        return items.compactMap { item in
            guard case .reading(let reading) = item else { return nil }
            let id = table[reading.signal].id
            switch reading.value {
            case .text(let text): return "\(id)=\(text)"
            case .number(let number): return "\(id)=\(Int(number))"
            default: return "\(id)=none"
            }
        }
    }

    // The values are from tests of the Equipment and Tool Institute's emissions test program
    // (j1939-84).
    @Test func `each text ends with an asterisk`() throws {
        #expect(
            try texts(decode(0xFEEC, Array("12345678901234567890*".utf8)))
                == ["SPN237=12345678901234567890"])
        #expect(
            try texts(decode(0xFEEB, Array("Make1*Model1*SerialNumber1**".utf8)))
                == ["SPN586=Make1", "SPN587=Model1", "SPN588=SerialNumber1", "SPN233=none"])
        #expect(
            try texts(decode(0xFEEB, Array("****".utf8)))
                == ["SPN586=none", "SPN587=none", "SPN588=none", "SPN233=none"])
    }

    // A truck's answer in the same program: three calibrations, an empty one, and one more.
    @Test
    func `several calibrations follow each other, checksum least significant byte first`() throws {
        let empty = [UInt8](repeating: 0, count: 4) + [UInt8](repeating: 0xFF, count: 16)
        let first: [UInt8] = [0x06, 0x7A, 0x6E, 0xC9] + Array("A261XXM_E711E31D".utf8)
        let second: [UInt8] = [0xA8, 0x73, 0x89, 0x13] + Array("NOx-SAE14a ATI1".utf8) + [0x00]
        let payload = first + second + empty
        #expect(
            try texts(decode(0xD300, payload)) == [
                "SPN1634=C96E7A06", "SPN1635=A261XXM_E711E31D", "SPN1634=138973A8",
                "SPN1635=NOx-SAE14a ATI1",
            ])
        let cut = try decode(0xD300, Array(payload.prefix(19)))
        #expect(cut.count == 1)
        if case .error? = cut.first {} else { Issue.record("a calibration cut short is an error") }
    }

    // DM5 of a heavy-duty engine from j1939-84 (compliance 20): misfire, fuel system and
    // components, EGR, exhaust gas sensor and its heater; boost, filter, NOx, NMHC. None of the
    // second group is complete.
    @Test func `the readiness of a diesel engine is read`() throws {
        let items = try decode(0xFECE, [0x00, 0x00, 0x14, 0x37, 0xE0, 0x1E, 0xE0, 0x1E])
        var complete: [MonitorStatus.Monitor] = []
        var incomplete: [MonitorStatus.Monitor] = []
        var unsupported: [MonitorStatus.Monitor] = []
        for case .monitor(let status) in items {
            #expect(status.scope == .sinceClear)
            switch status.complete {
            case true: complete.append(status.monitor)
            case false: incomplete.append(status.monitor)
            case nil: unsupported.append(status.monitor)
            }
        }
        #expect(complete == [.components])
        #expect(
            incomplete == [
                .misfire, .fuelSystem, .exhaustGasSensor, .oxygenSensorHeater, .egrVvt,
                .boostPressure, .pmFilter, .noxSCR, .nmhcCatalyst,
            ])
        #expect(
            unsupported == [
                .catalyst, .heatedCatalyst, .evaporative, .secondaryAir, .gpfOrACRefrigerant,
                .coldStartAid,
            ])
        let readiness = Readiness(items, table: try PIDTables.standard())
        #expect(readiness.ecus.map(\.codeCount) == [0])
        #expect(readiness.incomplete.count == 9)
    }

    // Three public implementations fill DM4 like this: length 12 (of the bytes after it), code, SPN
    // 899 102 190 92 110 84. The scales are those of SAE J1939-71.
    @Test func `a freeze frame has its code`() throws {
        let first: [UInt8] = [
            0x0C, 0x6E, 0x00, 0x00, 0x03, 0x01, 0x50, 0x68, 0x13, 0x64, 0x85, 0x00, 0x28,
        ]
        let second: [UInt8] = [
            0x0F, 0x90, 0x0C, 0x04, 0x0C, 0xFF, 0xFF, 0x00, 0x19, 0x00, 0x28, 0x00, 0x00, 1, 2, 3,
        ]
        let items = try decode(0xFECD, first + second)
        #expect(
            try texts(items) == [
                "SPN899=1", "SPN102=160", "SPN190=621", "SPN92=100", "SPN110=93", "SPN84=40",
                "SPN899=none", "SPN102=none", "SPN190=800", "SPN92=0", "SPN110=0", "SPN84=0",
            ])
        var codes: [String] = []
        for case .reading(let reading) in items {
            codes.append("\(reading.frame ?? 255) \(reading.parameterCode?.text ?? "none")")
        }
        #expect(Set(codes) == ["0 SPN110/FMI0", "1 SPN3216/FMI4"])
        // The manufacturer's own bytes must not be dropped.
        if case .message? = items.last {} else { Issue.record("three bytes were dropped") }
        #expect(try decode(0xFECD, first).count == 6)
    }

    @Test
    func `a short freeze frame is an error, and an answer without a freeze frame is a message`()
        throws
    {
        let frame: [UInt8] = [
            0x0C, 0x6E, 0x00, 0x00, 0x03, 0x01, 0x50, 0x68, 0x13, 0x64, 0x85, 0x00, 0x28,
        ]
        for payload in [
            Array(frame.dropLast()), frame + frame.prefix(5), [0x0B] + frame.dropFirst(),
        ] {
            let last = try decode(0xFECD, payload).last
            if case .error? = last {} else { Issue.record("\(payload) is not an error") }
        }
        for payload: [UInt8] in [
            [0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF], .init(repeating: 0xFF, count: 8),
        ] {
            let items = try decode(0xFECD, payload)
            #expect(items.count == 1)
            if case .message? = items.first {} else { Issue.record("\(payload) is not a message") }
        }
    }

    @Test func `an ECU that is not an OBD device has no monitors`() throws {
        for compliance in [UInt8(0x05), 0xFF] {
            let items = try decode(0xFECE, [0x02, 0x00, compliance, 0, 0, 0, 0, 0])
            #expect(!items.contains { if case .monitor = $0 { true } else { false } })
        }
    }
}
