import Adapters
import OBDCore
import Testing

@Suite struct `Asking one ECU` {
    private static let settings = [
        "ATSH726", "ATSH710", "ATSHDA28F1", "ATSHDB33F1", "ATCRA72E", "ATCRA77A", "ATCRA",
        "ATFCSH726",
        "ATFCSH710", "ATFCSD300000", "ATFCSM1", "ATFCSM0", "ATCF700", "ATCM700", "ATST19",
        "ATCF7E8", "ATCM7F8", "ATSHEA00F9", "ATSHEAFFF9",
    ]

    private func adapter(_ more: [String: String] = [:]) -> ScriptedAdapter {
        var adapter = ScriptedAdapter.genuine(more)
        for command in Self.settings where more[command] == nil { adapter.answers[command] = "OK" }
        adapter.initialise()
        adapter.written = []
        adapter.outputs = []
        return adapter
    }

    private func request(
        _ payload: [UInt8], to target: UInt32?, _ responders: VehicleRequest.Responders = .usual
    ) -> VehicleRequest {
        var request = VehicleRequest(
            id: RequestID(rawValue: 1), target: target.map { ECUAddress($0, .can11) },
            payload: payload)
        request.responders = responders
        return request
    }

    @Test func `an ECU outside OBD's addresses needs its filter and flow control`() {
        var adapter = adapter(["1902FF": "72E037F1911"])
        adapter.send(.vehicle(request([0x19, 0x02, 0xFF], to: 0x726)))
        #expect(
            adapter.commands == [
                "ATSH726", "ATCRA72E", "ATFCSH726", "ATFCSD300000", "ATFCSM1", "1902FF",
            ])
        #expect(adapter.messages.map(\.payload) == [[0x7F, 0x19, 0x11]])
        adapter.written = []
        // A second one keeps the mode and the data.
        adapter.answers["1902FF"] = "77A037F1911"
        adapter.send(
            .vehicle(
                request([0x19, 0x02, 0xFF], to: 0x710, .one(ECUAddress(0x77A, .can11)))))
        #expect(adapter.commands == ["ATSH710", "ATCRA77A", "ATFCSH710", "1902FF"])
        adapter.written = []
        // All of them again: everything is as it was.
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(adapter.commands == ["ATSH7DF", "ATCRA", "ATFCSM0", "010C"])
    }

    /// The odometer of the e-Golf's gateway: wican-fw issue 108.
    @Test func `a 29-bit address beyond 18xxxxxx takes its upper bits as priority`() {
        var adapter = adapter([
            "0100": "18DAF110064100BE3EB813", "ATDPN": "A7", "ATCP17": "OK", "ATCP18": "OK",
            "ATSHFC007B": "OK", "ATCRA17FE007B": "OK", "ATFCSH17FC007B": "OK",
            "2202BD":
                "17FE007B100D6202BD930116\r17FE007B21D4015860EA7434",
        ])
        var question = VehicleRequest(
            id: RequestID(rawValue: 1), target: ECUAddress(0x17FC_007B, .can29),
            payload: [0x22, 0x02, 0xBD])
        question.responders = .one(ECUAddress(0x17FE_007B, .can29))
        adapter.send(.vehicle(question))
        #expect(
            adapter.commands == [
                "ATCP17", "ATSHFC007B", "ATCRA17FE007B", "ATFCSH17FC007B", "ATFCSD300000",
                "ATFCSM1", "2202BD",
            ])
        #expect(
            adapter.messages.map { Hex.string($0.payload) } == ["6202BD930116D4015860EA7434"])
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(adapter.commands == ["ATCP18", "ATSHDB33F1", "ATCRA", "ATFCSM0", "010C"])
    }

    /// A BMW i3's battery: ATCEA07 and answers 607 F1 … (meta.cars.forum, thread 85; OVMS issue
    /// 488).
    @Test func `extended addressing has an address byte in front`() {
        var adapter = adapter([
            "ATSH6F1": "OK", "ATCEA07": "OK", "ATCEA": "OK", "ATCRA607": "OK",
            "ATFCSH6F1": "OK", "ATFCSD07300000": "OK", "22DD68": "607F10562DD68938800",
        ])
        var question = VehicleRequest(
            id: RequestID(rawValue: 1), target: ECUAddress(0x6F1, .can11, extended: 0x07),
            payload: [0x22, 0xDD, 0x68])
        question.responders = .one(ECUAddress(0x607, .can11, extended: 0xF1))
        adapter.send(.vehicle(question))
        #expect(
            adapter.commands == [
                "ATSH6F1", "ATCEA07", "ATCRA607", "ATFCSH6F1", "ATFCSD07300000", "ATFCSM1",
                "22DD68",
            ])
        #expect(adapter.messages.map { $0.ecu?.description } == ["607/F1"])
        #expect(adapter.messages.map { Hex.string($0.payload) } == ["62DD689388"])
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(adapter.commands == ["ATSH7DF", "ATCEA", "ATCRA", "ATFCSM0", "010C"])
        #expect(adapter.messages.last?.ecu?.description == "7E8")
    }

    /// SAE J2178-1: 6C is physical on VPW, C4 on PWM; ISO 9141-2 uses VPW's bytes.
    @Test(arguments: [
        ("2", "6C10F1", "686AF1"), ("1", "C410F1", "616AF1"),
        ("3", "6C10F1", "686AF1"),
    ])
    func `before CAN one ECU has a header of three bytes`(
        digit: String, one: String, all: String
    ) {
        let map =
            switch digit {
            case "1": "416B104100BE3EB81190"
            case "2": "486B104100BE3EB811FA"
            default: "486B104100BE3EB811C9"
            }
        var adapter = adapter([
            "0100": map, "ATDPN": "A" + digit, "ATSH" + one: "OK", "ATSH" + all: "OK",
            "22000C": "NO DATA",
        ])
        let question = VehicleRequest(
            id: RequestID(rawValue: 1), target: ECUAddress(0x10, .byte),
            payload: [0x22, 0x00, 0x0C])
        adapter.send(.vehicle(question))
        #expect(adapter.commands == ["ATSH" + one, "22000C"])
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(adapter.commands == ["ATSH" + all, "010C"])
    }

    @Test func `an empty request sends nothing and puts the settings back`() {
        var adapter = adapter(["3E00": "72E027E00"])
        var probe = request(
            [0x3E, 0x00], to: 0x726,
            .matching(pattern: ECUAddress(0x700, .can11), mask: 0x700))
        probe.answerTime = .milliseconds(100)
        adapter.send(.vehicle(probe))
        #expect(adapter.commands == ["ATSH726", "ATCF700", "ATCM700", "ATST19", "3E00"])
        #expect(adapter.messages.map(\.ecu) == [ECUAddress(0x72E, .can11)])
        adapter.written = []
        adapter.outputs = []
        adapter.send(.vehicle(request([], to: nil)))
        #expect(adapter.commands == ["ATSH7DF", "ATCRA", "ATST32"])
        #expect(adapter.ends == [.complete])
        adapter.written = []
        adapter.outputs = []
        adapter.send(.vehicle(request([], to: nil)))
        #expect(adapter.commands.isEmpty)
        #expect(adapter.ends == [.complete])
    }

    @Test func `an adapter that cannot reset its filter gets the default one`() {
        var adapter = adapter(["1902FF": "NO DATA", "ATCRA": "?"])
        adapter.send(.vehicle(request([0x19, 0x02, 0xFF], to: 0x726)))
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(
            adapter.commands == [
                "ATSH7DF", "ATCRA", "ATCRA", "ATCF7E8", "ATCM7F8", "ATFCSM0", "010C",
            ])
    }

    @Test func `a reset that the user typed is not forgotten`() {
        var adapter = adapter()
        adapter.send(.vehicle(request([0x01, 0x0C], to: 0x7E0)))
        adapter.send(.command(id: RequestID(rawValue: 2), text: "ATD", mayRepeat: true))
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(adapter.commands == ["010C"])
    }

    // 18FECA00: DM1 of the engine; lamps off, SPN 100 FMI 1, twice.
    @Test func `a vehicle that speaks SAE J1939 is found after all else`() {
        var adapter = ScriptedAdapter.genuine([
            "0100": "UNABLE TO CONNECT", "22F810": "NO DATA", "00FECA": "60FECA0000FF64000102FFFF",
            "00FEEE": "60FEEE00A0FFFFB3FFFF9CFA", "ATSHEA00F9": "OK", "ATSHEAFFF9": "OK",
        ])
        for digit in ["6", "7", "8", "9", "A"] { adapter.answers["ATTP\(digit)"] = "OK" }
        adapter.initialise()
        #expect(adapter.isReady)
        #expect(adapter.dialect.identity.vehicleProtocol == .j1939)
        #expect(adapter.dialect.identity.services == .j1939)
        #expect(!adapter.commands.contains("ATSPA"))
        adapter.written = []
        adapter.outputs = []
        adapter.send(
            .vehicle(VehicleRequest(id: RequestID(rawValue: 1), payload: [0, 0xFE, 0xEE])))
        #expect(adapter.messages.map(\.parameterGroup) == [0xFEEE])
        // Reading: no harmless command has to follow.
        #expect(adapter.commands == ["00FEEE"])
        adapter.written = []
        adapter.send(
            .vehicle(
                VehicleRequest(
                    id: RequestID(rawValue: 1), target: ECUAddress(0x00, .byte),
                    payload: [0, 0xFE, 0xEE])))
        #expect(adapter.commands == ["ATSHEA00F9", "00FEEE"])
    }

    @Test func `a forced or remembered SAE J1939 is asked in its own way`() {
        let answers = [
            "ATSPA": "OK", "00FECA": "60FECA0000FF00000000FFFF", "ATD": "OK", "ATE0": "OK",
            "ATL0": "OK", "ATS0": "OK", "ATH1": "OK", "ATI": "ELM327 v1.4b", "ATDPN": "A",
        ]
        for options in [
            ELM327Dialect.Options(vehicleProtocol: .j1939), .init(rememberedProtocol: .j1939),
        ] {
            var adapter = ScriptedAdapter(answers, options)
            adapter.initialise()
            #expect(adapter.isReady)
            #expect(adapter.dialect.identity.vehicleProtocol == .j1939)
            #expect(!adapter.commands.contains("0100"))
        }
    }

    @Test func `a forced CAN protocol is asked for SAE J1979-2 too`() {
        var adapter = ScriptedAdapter(
            [
                "ATSP6": "OK", "0100": "NO DATA", "22F810": "7E80462F81001", "ATD": "OK",
                "ATE0": "OK", "ATL0": "OK", "ATS0": "OK", "ATH1": "OK", "ATI": "ELM327 v1.4b",
            ], ELM327Dialect.Options(vehicleProtocol: .can11At500))
        adapter.initialise()
        #expect(adapter.isReady)
        #expect(adapter.dialect.identity.services == .onUDS)
    }
}
