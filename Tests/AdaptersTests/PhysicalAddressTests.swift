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
        // A second ECU needs no new flow control mode and data.
        adapter.answers["1902FF"] = "77A037F1911"
        adapter.send(
            .vehicle(
                request([0x19, 0x02, 0xFF], to: 0x710, .one(ECUAddress(0x77A, .can11)))))
        #expect(adapter.commands == ["ATSH710", "ATCRA77A", "ATFCSH710", "1902FF"])
        adapter.written = []
        // A request to all ECUs sets everything back.
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(adapter.commands == ["ATSH7DF", "ATCRA", "ATFCSM0", "010C"])
    }

    /// The odometer of the e-Golf's gateway (wican-fw issue 108).
    @Test func `a 29-bit address outside 18xxxxxx gives its upper bits as priority`() {
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

    /// A BMW i3's battery: ATCEA07, and answers 607 F1 … (meta.cars.forum, thread 85; OVMS issue
    /// 488).
    @Test func `extended addressing puts an address byte before the data`() {
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

    /// If the adapter restarts while settings are made, its header is lost, and the request would
    /// go to every ECU.
    ///
    /// So the request is not sent.
    @Test(arguments: [
        ("ATSH726", "\r\rLV RESET"), ("ATCRA72E", "\r\rELM327 v1.5"), ("ATFCSH726", "ERR94"),
        // The restart shows after the prompt of the last setting, or by an echo without any word.
        ("ATFCSM1", "OK\r\r>\r\rLV RESET"), ("ATFCSM1", "ATFCSM1\rOK"),
        ("ATCRA72E", "O\r\r>\r\rLV RESET"),
    ])
    func `a restart between the settings prevents the request`(
        command: String, reply: String
    ) {
        for payload: [UInt8] in [[0x19, 0x02, 0xFF], [0x14, 0xFF, 0xFF, 0xFF]] {
            var adapter = adapter([command: reply])
            adapter.answers["ATSTFF"] = "OK"
            if command == "ATFCSM1", payload[0] == 0x14 {
                // For this request, another setting is the last one.
                adapter.answers["ATFCSM1"] = "OK"
                adapter.answers["ATSTFF"] = reply.replacing("ATFCSM1", with: "ATSTFF")
            }
            adapter.send(.vehicle(request(payload, to: 0x726)))
            if adapter.ends.isEmpty { adapter.timeOut(.pause) }
            #expect(adapter.ends == [.restartedBeforeSending], "\(reply)")
            #expect(!adapter.commands.contains(Hex.string(payload)), "\(reply)")
            #expect(adapter.isAtRest)
            // Without a new set-up, the next request is refused.
            adapter.send(.vehicle(request(payload, to: 0x726)))
            #expect(adapter.ends.last == .refused)
        }
    }

    @Test func `a restart while a setting is sent again is reported`() {
        var adapter = adapter()
        adapter.deaf = ["ATCRA72E"]
        adapter.send(.vehicle(request([0x14, 0xFF, 0xFF, 0xFF], to: 0x726)))
        adapter.receive("O\r\r>")
        adapter.receive("\r\rLV RESET\r\r>")
        adapter.timeOut(.pause)
        #expect(adapter.ends == [.restartedBeforeSending])
        #expect(adapter.commands == ["ATSH726", "ATCRA72E"])
    }

    @Test(arguments: ["LV RESET", "ATI\rELM327 v1.5"])
    func `after a restart a request that writes is reported and not sent again`(cover: String) {
        var adapter = adapter(["14FFFFFF": "72E0154", "ATSTFF": "OK"])
        adapter.answers["ATI"] = cover
        adapter.send(.vehicle(request([0x14, 0xFF, 0xFF, 0xFF], to: 0x726)))
        #expect(adapter.ends == [.adapterRestarted])
        #expect(adapter.messages.map(\.payload) == [[0x54]])
        #expect(adapter.commands.suffix(2) == ["14FFFFFF", "ATI"])
    }

    @Test func `a restart while the request is interrupted is reported`() {
        for (deaf, end) in [
            ("ATCRA72E", ExchangeEnd.restartedBeforeSending), ("1902FF", .adapterRestarted),
        ] {
            var adapter = adapter()
            adapter.deaf = [deaf]
            adapter.send(.vehicle(request([0x19, 0x02, 0xFF], to: 0x726)))
            var out: [DialectOutput] = []
            adapter.dialect.interrupt(&out)
            adapter.receive("\r\rLV RESET\r\r>")
            #expect(adapter.ends == [end])
        }
    }

    /// It is unknown whether the adapter applied the interrupted setting and the ones after it.
    @Test(arguments: ["ATSH726", "ATCRA72E", "ATFCSH726", "ATFCSD300000", "ATFCSM1"])
    func `after an interruption between settings all settings are sent again`(deaf: String) {
        var adapter = adapter(["1902FF": "72E037F1911"])
        adapter.deaf = [deaf]
        adapter.send(.vehicle(request([0x19, 0x02, 0xFF], to: 0x726)))
        var out: [DialectOutput] = []
        adapter.dialect.interrupt(&out)
        adapter.receive("STOPPED\r\r>")
        #expect(adapter.ends == [.interrupted])
        adapter.deaf = []
        for (target, commands) in [
            (0x726, ["ATSH726", "ATCRA72E", "ATFCSH726", "ATFCSD300000", "ATFCSM1"]),
            // Settings that are known again are not repeated.
            (0x726, []), (nil, ["ATSH7DF", "ATCRA", "ATFCSM0"]),
        ] as [(UInt32?, [String])] {
            adapter.written = []
            adapter.send(.vehicle(request([0x19, 0x02, 0xFF], to: target)))
            #expect(adapter.commands.filter { !$0.hasPrefix("ATST") } == commands + ["1902FF"])
        }
    }

    @Test func `settings for all ECUs are sent again after an interruption, too`() {
        var adapter = adapter(["1902FF": "72E037F1911"])
        adapter.send(.vehicle(request([0x19, 0x02, 0xFF], to: 0x726)))
        adapter.deaf = ["ATSH7DF"]
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        var out: [DialectOutput] = []
        adapter.dialect.interrupt(&out)
        adapter.receive("STOPPED\r\r>")
        adapter.deaf = []
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(adapter.commands == ["ATSH7DF", "ATCRA", "ATFCSM0", "ATST32", "010C"])
    }

    /// A new set-up forgets earlier settings, because the adapter may be a different one.
    @Test(arguments: [true, false])
    func `settings are sent again after a new set-up`(restarts: Bool) {
        var adapter = adapter(["1902FF": "72E037F1911"])
        adapter.send(.vehicle(request([0x19, 0x02, 0xFF], to: 0x726)))
        if restarts {
            adapter.series["010C"] = ["LV RESET\r\rELM327 v1.5", "7E804410C1AF8"]
            adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
            #expect(adapter.ends.last == .adapterRestarted)
        }
        adapter.initialise()
        adapter.timeOut()
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(adapter.commands == ["010C"])
        adapter.written = []
        adapter.send(.vehicle(request([0x19, 0x02, 0xFF], to: 0x726)))
        #expect(
            adapter.commands == [
                "ATSH726", "ATCRA72E", "ATFCSH726", "ATFCSD300000", "ATFCSM1", "1902FF",
            ])
    }

    /// The adapter may have lost the header of an earlier request without a word.
    @Test func `before a request that writes, the header of its ECU is sent again`() {
        var adapter = adapter(["14FFFFFF": "7E80154", "22F190": "NO DATA", "ATSTFF": "OK"])
        adapter.send(.vehicle(request([0x22, 0xF1, 0x90], to: 0x7E0)))
        adapter.written = []
        adapter.send(.vehicle(request([0x14, 0xFF, 0xFF, 0xFF], to: 0x7E0)))
        #expect(adapter.commands == ["ATSH7E0", "ATSTFF", "14FFFFFF", "ATI"])
    }

    /// Without the address byte the request is never sent, even if it is repeated.
    ///
    /// An adapter that does not know the setting is not asked to undo it.
    @Test(arguments: [
        // Always refused; always damaged, so that the adapter may have taken it.
        ("?", ["ATSH7DF", "ATCRA"]), ("O?", ["ATSH7DF", "ATCEA", "ATCRA"]),
    ])
    func `a request is not sent if its address byte cannot be set`(reply: String, others: [String])
    {
        var adapter = adapter([
            "ATSH6F1": "OK", "ATCEA12": reply, "ATCEA": "?", "ATCRA612": "OK",
            "ATFCSH6F1": "OK", "ATFCSD12300000": "OK", "221FFC": "NO DATA",
        ])
        var question = VehicleRequest(
            id: RequestID(rawValue: 1), target: ECUAddress(0x6F1, .can11, extended: 0x12),
            payload: [0x22, 0x1F, 0xFC])
        question.responders = .one(ECUAddress(0x612, .can11, extended: 0xF1))
        for count in 1...3 {
            adapter.send(.vehicle(question))
            for _ in 0..<4 where adapter.ends.count < count { adapter.timeOut(.pause) }
        }
        #expect(adapter.ends == [.refused, .refused, .refused])
        #expect(!adapter.commands.contains("221FFC"))
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(adapter.commands.filter { others.contains($0) }.count >= others.count)
        #expect(adapter.commands.contains("ATCEA") == others.contains("ATCEA"))
        #expect(adapter.commands.last == "010C")
    }

    /// A filter has three or eight digits.
    ///
    /// For an address of one byte, the caller checks the sender of the answer.
    @Test func `an address of one byte is not a receive filter`() {
        var adapter = adapter([
            "0100": "86F1104100BE3EB8118D", "ATDPN": "A5", "ATSH8210F1": "OK",
            "221FFC": "NO DATA",
        ])
        var question = VehicleRequest(
            id: RequestID(rawValue: 1), target: ECUAddress(0x10, .byte),
            payload: [0x22, 0x1F, 0xFC])
        question.responders = .one(ECUAddress(0x10, .byte))
        adapter.send(.vehicle(question))
        #expect(adapter.commands == ["ATSH8210F1", "221FFC"])
    }

    @Test func `no timer runs after the end`() {
        var adapter = adapter()
        adapter.deaf = ["ATMA"]
        adapter.send(
            .vehicle(
                VehicleRequest(
                    id: RequestID(rawValue: 1), payload: [], mayRepeat: true,
                    ending: .listen(frames: nil, atMost: .seconds(9)))))
        adapter.timeOut(.reply)
        #expect(adapter.ends == [.timedOut])
        #expect(adapter.isAtRest)
    }

    /// SAE J2178-1: a physical address has 6C on VPW and C4 on PWM.
    ///
    /// ISO 9141-2 uses VPW's bytes.
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

    @Test func `an empty request sends no data and restores the settings`() {
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

    @Test func `an adapter that cannot reset its filter gets the default filter`() {
        var adapter = adapter(["1902FF": "NO DATA", "ATCRA": "?"])
        adapter.send(.vehicle(request([0x19, 0x02, 0xFF], to: 0x726)))
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(
            adapter.commands == [
                "ATSH7DF", "ATCRA", "ATCRA", "ATCF7E8", "ATCM7F8", "ATFCSM0", "010C",
            ])
    }

    @Test func `a reset that the user typed is remembered`() {
        var adapter = adapter()
        adapter.send(.vehicle(request([0x01, 0x0C], to: 0x7E0)))
        adapter.send(.command(id: RequestID(rawValue: 2), text: "ATD", mayRepeat: true))
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(adapter.commands == ["010C"])
    }

    /// Without the setting, the adapter itself sends flow control to 0A5, where ECUs talk to each other.
    @Test(arguments: [(UInt32(0x0AD), false), (0x7B8, true)])
    func `an adapter without flow control settings asks only diagnostic addresses`(
        ecu: UInt32, isSent: Bool
    ) {
        let responder = ECUAddress(ecu, .can11)
        var adapter = adapter([
            "ATFCSH7E0": "?", "ATFCSD300000": "?", "ATFCSM1": "?", "ATSH7E0": "OK",
            "ATCRA\(responder.digits)": "OK", "0902": "NO DATA",
        ])
        adapter.send(.vehicle(request([0x09, 0x02], to: 0x7E0, .one(responder))))
        #expect(adapter.commands.contains("0902") == isSent)
    }

    /// After these commands and answers, the protocol or the header that a request left is not known.
    @Test(arguments: [
        ("ATSP7", "OK", VehicleProtocol?.some(.can29At500)), ("ATSP7", "?", nil),
        ("ATTP0", "OK", nil), ("ATSPD", "OK", nil), ("ATWS", "?", nil),
    ])
    func `a typed command after which the address is unknown causes a new set-up`(
        command: String, answer: String, spoken: VehicleProtocol?
    ) {
        var adapter = adapter([command: answer, "ATSH7E0": "OK"])
        adapter.send(.vehicle(request([0x01, 0x0C], to: 0x7E0)))
        adapter.send(.command(id: RequestID(rawValue: 2), text: command, mayRepeat: true))
        #expect(adapter.dialect.capabilities.vehicleProtocol == spoken)
        adapter.written = []
        adapter.outputs = []
        // Typed digits and STPX go to the header that is there, whatever that is.
        for text in ["010C", "STPX d:010C"] {
            let typed = AdapterRequest.command(
                id: RequestID(rawValue: 3), text: text, mayRepeat: true)
            #expect(!adapter.dialect.isReadOnly(typed))
        }
        // It is judged again after the set-up.
        #expect(adapter.dialect.isReadOnly(.vehicle(request([0x01, 0x0C], to: nil))))
        #expect(!adapter.dialect.isReadOnly(.vehicle(request([0x04], to: nil))))
        adapter.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(adapter.commands.isEmpty && adapter.ends == [.restartedBeforeSending])
        adapter.outputs = []
        adapter.initialise()
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: 0x7E0)))
        #expect(adapter.commands == ["ATSH7E0", "010C"])
    }

    @Test func `a header that the user typed is not the header of the last request`() {
        var adapter = adapter(["ATSH7E0": "OK", "ATSH7E1": "OK", "ATSH7DF": "OK"])
        adapter.send(.vehicle(request([0x01, 0x0C], to: 0x7E0)))
        adapter.send(.command(id: RequestID(rawValue: 2), text: "AT SH 7E1", mayRepeat: true))
        adapter.written = []
        adapter.send(.vehicle(request([0x01, 0x0C], to: 0x7E0)))
        #expect(adapter.commands.first == "ATSH7E0" && adapter.commands.last == "010C")
        // Without an earlier address of its own, the dialect keeps to the user's.
        var other = self.adapter(["ATSH7E1": "OK"])
        other.send(.command(id: RequestID(rawValue: 2), text: "AT SH 7E1", mayRepeat: true))
        other.written = []
        other.send(.vehicle(request([0x01, 0x0C], to: nil)))
        #expect(other.commands == ["010C"])
    }

    /// 0A5 is an address at which ECUs talk to each other, and 01 04 clears codes of ECU 01 at 750.
    @Test(arguments: [
        (UInt32(0x0A5), "010C", false), (0x750, "0104", false), (0x7E0, "0104", true),
    ])
    func `typed digits go to the ECU of the request before them`(
        target: UInt32, digits: String, isReadOnly: Bool
    ) {
        var adapter = adapter([
            "ATSH0A5": "OK", "ATCRA0AD": "OK", "ATFCSH0A5": "OK", "ATSH750": "OK",
            "ATCRA758": "OK", "ATFCSH750": "OK", "ATSH7E0": "OK",
        ])
        var first = request([0x01, 0x00], to: target)
        first.consent = Consent()
        adapter.send(.vehicle(first))
        #expect(adapter.commands.first == "ATSH" + ECUAddress(target, .can11).digits)
        for text in [digits, "STPX d:" + digits] {
            let typed = AdapterRequest.command(
                id: RequestID(rawValue: 2), text: text, mayRepeat: true)
            #expect(adapter.dialect.isReadOnly(typed) == isReadOnly, "\(text)")
        }
    }

    // 18FECA00: DM1 of the engine; lamps off, SPN 100 FMI 1, twice.
    @Test func `SAE J1939 is tried after all other protocols`() {
        var adapter = ScriptedAdapter.genuine([
            "0100": "UNABLE TO CONNECT", "22F810": "NO DATA", "00FECA": "60FECA0000FF64000102FFFF",
            "00FEEE": "60FEEE00A0FFFFB3FFFF9CFA", "ATSHEA00F9": "OK", "ATSHEAFFF9": "OK",
        ])
        for digit in ["6", "7", "8", "9", "A"] { adapter.answers["ATTP\(digit)"] = "OK" }
        adapter.initialise()
        #expect(adapter.isReady)
        #expect(adapter.dialect.identity.vehicleProtocol == .j1939)
        let told = adapter.dialect.identity.answer(to: [0x00, 0xFE, 0xCA], on: .j1939)
        #expect(told?.messages.map(\.parameterGroup) == [0xFECA])
        #expect(!adapter.commands.contains("ATSPA"))
        adapter.written = []
        adapter.outputs = []
        adapter.send(
            .vehicle(VehicleRequest(id: RequestID(rawValue: 1), payload: [0, 0xFE, 0xEE])))
        #expect(adapter.messages.map(\.parameterGroup) == [0xFEEE])
        // The request only reads, so no harmless command follows it.
        #expect(adapter.commands == ["00FEEE"])
        adapter.written = []
        adapter.send(
            .vehicle(
                VehicleRequest(
                    id: RequestID(rawValue: 1), target: ECUAddress(0x00, .byte),
                    payload: [0, 0xFE, 0xEE])))
        #expect(adapter.commands == ["ATSHEA00F9", "00FEEE"])
    }

    @Test func `a forced or remembered SAE J1939 vehicle is asked with a request of SAE J1939`() {
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

    @Test func `with a forced CAN protocol, SAE J1979-2 is tried, too`() {
        var adapter = ScriptedAdapter(
            [
                "ATSP6": "OK", "0100": "NO DATA", "22F810": "7E80462F81001", "ATD": "OK",
                "ATE0": "OK", "ATL0": "OK", "ATS0": "OK", "ATH1": "OK", "ATI": "ELM327 v1.4b",
            ], ELM327Dialect.Options(vehicleProtocol: .can11At500))
        adapter.initialise()
        #expect(adapter.isReady)
        let told = adapter.dialect.identity.answer(to: [0x22, 0xF8, 0x10], on: .can11At500)
        #expect(told?.messages.map(\.payload) == [[0x62, 0xF8, 0x10, 0x01]])
        let silent = adapter.dialect.identity.answer(to: [0x01, 0x00], on: .can11At500)
        #expect(silent?.statuses == [.noData])
    }
}
