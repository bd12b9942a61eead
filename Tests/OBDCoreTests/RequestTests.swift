import OBDCore
import Testing

@Suite struct `Requests and refusals` {
    /// The list of safe requests, and nothing else, for any first byte.
    @Test func `only requests of the safe list count as reading`() {
        let harmless: Set<UInt8> = [
            0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x09, 0x0A, 0x18, 0x19, 0x1A, 0x21, 0x22, 0x3E,
        ]
        for first in UInt8.min...UInt8.max {
            for rest: [UInt8] in [[], [0x00], [0x02], [0xFF], [0x01, 0x01], [0x00, 0x00, 0x00]] {
                #expect(
                    VehicleRequest.isReadOnly([first] + rest) == harmless.contains(first),
                    "\(first) \(rest)")
            }
        }
        #expect(VehicleRequest.isReadOnly([0x10, 0x01]))
        #expect(!VehicleRequest.isReadOnly([0x10, 0x01, 0x00]))
    }

    /// SAE J1939-73: DM3 (65228) and DM11 (65235) clear codes, DM1 (65226) and DM5 (65230) report
    /// them.
    @Test func `parameter groups that clear do not count as reading`() {
        func request(_ group: Int) -> [UInt8] {
            [0x00, UInt8(group >> 8), UInt8(group & 0xFF)]
        }
        #expect(VehicleRequest.isReadOnly(request(65226)))
        #expect(VehicleRequest.isReadOnly(request(65230)))
        for clearing in [65228, 65235, 0xFFFF, 0] {
            #expect(!VehicleRequest.isReadOnly(request(clearing)))
        }
        #expect(!VehicleRequest.isReadOnly(request(65226) + [0x00]))
    }

    @Test func `by default a request that writes may not be repeated`() {
        let id = RequestID(rawValue: 7)
        #expect(VehicleRequest(id: id, payload: [0x01, 0x0C]).mayRepeat)
        #expect(!VehicleRequest(id: id, payload: [0x04]).mayRepeat)
        #expect(!VehicleRequest(id: id, payload: []).mayRepeat)
        #expect(!VehicleRequest(id: id, payload: [0x03], mayRepeat: false).mayRepeat)
        #expect(RequestID(rawValue: 7) < RequestID(rawValue: 8))
    }

    /// ISO 15765-4: requests go to 7DF, 7E0 to 7E7, 18DB33F1 and 18DAxxF1.
    ///
    /// Manufacturers use 700 to 7FF, BMW 6F1, Volkswagen 17FC00xx, GM 14DAxxF1 and Volvo 1DD0xxxx. 7E8
    /// to 7EF and 18DAF1xx are answers.
    @Test(arguments: [
        ("7DF", true), ("7E0", true), ("7E7", true), ("700", true), ("7FF", true), ("6F1", true),
        ("79B", true), ("7E8", false), ("7EF", false), ("0A5", false), ("008", false),
        ("6FF", false), ("6B4", false), ("18DA10F1", true), ("18DB33F1", true),
        ("18DA00F9", true), ("18DAF110", false), ("14DA10F1", true), ("142AF110", false),
        ("18EFFFF9", false),
        ("0CF00400", false), ("17FC007B", true), ("17FE007B", false), ("1DD01635", true),
        ("1EC6AE80", false), ("10", true),
    ])
    func `rules decide which addresses are for diagnostics`(text: String, isKnown: Bool) throws {
        let address = try #require(ECUAddress(text))
        #expect(address.isDiagnosticRequest == isKnown)
        #expect(address.takes([0x22, 0xF1, 0x90]) == isKnown)
    }

    /// ISO 15765-2: the length comes after the address byte, or in its place.
    @Test(arguments: [
        ("6F1", "021101", false), ("6F1", "22F190", true), ("6F1/12", "021101", true),
        ("750", "0104", false), ("750/2A", "2130", true), ("7E0/01", "22F190", false),
        ("7E0/07", "010C", false), ("7E0/10", "22F190", true), ("18DA10F1/04", "22F190", false),
    ])
    func `a request must be harmless with and without an address byte`(
        address: String, request: String, isTaken: Bool
    ) throws {
        let payload = try #require(Hex.bytes(request))
        #expect(try #require(ECUAddress(address)).takes(payload) == isTaken)
    }

    /// SAE J1939-21: a request is the number of a parameter group: 17 bits in three bytes.
    @Test func `a request that reads in one protocol may write in another`() {
        #expect(VehicleRequest.isReadOnly([0x00, 0xFE, 0xCA], to: nil, on: .j1939))
        #expect(VehicleRequest.isReadOnly([0x00, 0xFE, 0xCA], to: nil, on: .can11At500))
        #expect(VehicleRequest.isReadOnly([0x01, 0x0C], to: nil, on: .j1939))
        #expect(!VehicleRequest.isReadOnly([0x01, 0xFE, 0xCA], to: nil, on: .j1939))
        #expect(VehicleRequest.isReadOnly([0x01, 0xFE, 0xCA], to: nil, on: .can11At500))
        #expect(!VehicleRequest.isReadOnly([0x00, 0xFE, 0xD3], to: nil, on: .j1939))
        #expect(!VehicleRequest.isReadOnly([0x00, 0xFE, 0xD3], to: nil, on: .can11At500))
        #expect(VehicleRequest.isReadOnly([0x01, 0x0C], to: nil, on: nil))
        let brakes = ECUAddress(0x0A5, .can11)
        #expect(!VehicleRequest.isReadOnly([0x01, 0x0C], to: brakes, on: .can11At500))
    }

    @Test func `a request with consent is never repeated`() {
        var request = VehicleRequest(
            id: RequestID(rawValue: 7), payload: [0x04], mayRepeat: true, consent: Consent())
        #expect(!request.mayRepeat)
        request.mayRepeat = true
        #expect(!request.mayRepeat)
        request.consent = nil
        #expect(request.mayRepeat)
    }

    /// ISO 14229-1: a positive response is the service plus 40.
    @Test func `the answer to a service has its number plus 40`() {
        #expect(Service.currentData.positiveResponse == 0x41)
        #expect(Service.readData.positiveResponse == 0x62)
        #expect(Service(0x3E).positiveResponse == 0x7E)
        #expect(Service.readCodeInformation.description == "19")
        #expect([Service.readData, .currentData].sorted() == [.currentData, .readData])
    }

    /// All names in the tables of ISO 14229-1, table A.1, and ISO 14230-3 for 23.
    @Test(
        arguments: [
            (0x10, "generalReject"), (0x11, "serviceNotSupported"),
            (0x12, "subFunctionNotSupported"),
            (0x13, "incorrectMessageLengthOrInvalidFormat"), (0x14, "responseTooLong"),
            (0x21, "busyRepeatRequest"), (0x22, "conditionsNotCorrect"),
            (0x23, "routineNotComplete"),
            (0x24, "requestSequenceError"), (0x25, "noResponseFromSubnetComponent"),
            (0x26, "failurePreventsExecutionOfRequestedAction"), (0x31, "requestOutOfRange"),
            (0x33, "securityAccessDenied"), (0x35, "invalidKey"),
            (0x36, "exceededNumberOfAttempts"),
            (0x37, "requiredTimeDelayNotExpired"), (0x70, "uploadDownloadNotAccepted"),
            (0x71, "transferDataSuspended"), (0x72, "generalProgrammingFailure"),
            (0x73, "wrongBlockSequenceCounter"), (0x78, "responsePending"),
            (0x7E, "subFunctionNotSupportedInActiveSession"),
            (0x7F, "serviceNotSupportedInActiveSession"), (0x81, "rpmTooHigh"), (0x82, "rpmTooLow"),
            (0x83, "engineIsRunning"), (0x84, "engineIsNotRunning"), (0x85, "engineRunTimeTooLow"),
            (0x86, "temperatureTooHigh"), (0x87, "temperatureTooLow"),
            (0x88, "vehicleSpeedTooHigh"),
            (0x89, "vehicleSpeedTooLow"), (0x8A, "throttlePedalTooHigh"),
            (0x8B, "throttlePedalTooLow"), (0x8C, "transmissionRangeNotInNeutral"),
            (0x8D, "transmissionRangeNotInGear"), (0x8F, "brakeSwitchNotClosed"),
            (0x90, "shifterLeverNotInPark"), (0x91, "torqueConverterClutchLocked"),
            (0x92, "voltageTooHigh"), (0x93, "voltageTooLow"),
            (0x34, "authenticationRequired"), (0x39, "secureDataTransmissionNotAllowed"),
            (0x5D, "deAuthenticationFailed"), (0x94, "resourceTemporarilyNotAvailable"),
        ] as [(UInt8, String)])
    func `reasons for a refusal have the names of the standard`(code: UInt8, name: String) {
        #expect(NRC(code).name == name)
        #expect(NRC.named.contains(NRC(code)))
    }

    @Test func `reasons for a refusal have words`() {
        #expect(NRC(0x22).words == "conditions not correct")
        #expect(NRC(0x10).words == "general reject")
        #expect(NRC(0x00).words == "unknown")
    }

    /// 8E, 00 and FF have no meaning.
    ///
    /// A name for them would be invented.
    @Test func `a reason for a refusal without a name stays unknown`() {
        for code: UInt8 in [0x00, 0x01, 0x30, 0x77, 0x8E, 0xFF] {
            #expect(NRC(code).name == "unknown")
            #expect(!NRC.named.contains(NRC(rawValue: code)))
        }
        #expect(NRC.named.map(\.rawValue) == NRC.named.map(\.rawValue).sorted())
    }

    /// ISO 15765-2: the same frame with and without an address byte.
    ///
    /// The frames are written out where the other reading matters.
    @Test(arguments: [
        ("7E0", "22F190F191F1010400", true), ("758", "22F190F191F1010400", true),
        ("750", "22F190", true), ("750", "22F190F191F192", true), ("750", "1902FF", true),
        ("750", "1001", true),
        // 21 01 04 00: 04 for ECU 21. 21 02 11 01: 11 01. 21 04 04 00: a length of 4.
        ("750", "22F190F191F1010400", false), ("750", "22F190F191F1021101", false),
        ("750", "22F190F191F1040400", false),
        // 21 01 03: 03 reads. 21 F1 92: no length.
        ("750", "22F190F191F10103", true), ("750", "22F190F191F1F192", true),
        // 21 10 08 2E: the beginning of a long request with 2E. 21 10 08 22: with 22.
        ("750", "22F190F191F110082E", false), ("750", "22F190F191F1100822", true),
        // 10 13 22 F1: 19 bytes, and ECU 10 reads the beginning of a long request with F1.
        ("750", "22F190F191F190F191F190F191F190F191F190", false),
        // 02 01 0C: 0C for ECU 02. 02 21 01: no length.
        ("750", "010C", false), ("750", "2101", true), ("6F1", "010C", false),
        ("6F1", "22F190", true), ("6F1/12", "22F190", true), ("6F1/07", "22DDBC", true),
        ("6F1/07", "22F190F191F1010400", true),
        ("750/2A", "22F190", true), ("750/2A", "22F190F191F192", true),
        // 07 03 22 F1 90: a request of seven bytes without an address, 03. The flow control of the address,
        // 07 30 00 00, has the service 30.
        ("750/07", "22F190", false), ("7E0/01", "22F190", false),
        // 12 21 F1: without an address, the beginning of a long request with the service F1.
        ("750/12", "22F190F191F192", false), ("7E0/F1", "22F190F191F192F193", true),
        ("0A5", "22F190", false), ("7E8", "010C", false), ("10", "2101", true),
    ])
    func `a request counts as reading only if it reads in every form of addressing`(
        address: String, payload: String, isTaken: Bool
    ) throws {
        let target = try #require(ECUAddress(address))
        #expect(target.takes(try #require(Hex.bytes(payload))) == isTaken)
    }

    /// The address for flow control belongs to the one of the answers.
    @Test(arguments: [
        ("7E8", true), ("7B8", true), ("758/2A", true), ("18DAF110", true), ("10", true),
        ("0AD", false), ("008", false), ("007", false), ("4C2", false), ("7F0", false),
        ("17FE007B", false), ("0CF00400", false),
    ])
    func `a flow control address outside diagnostics is not read-only`(
        address: String, isTaken: Bool
    ) throws {
        var request = VehicleRequest(id: RequestID(rawValue: 1), payload: [0x22, 0xF1, 0x90])
        request.responders = .one(try #require(ECUAddress(address)))
        #expect(request.isReadOnly(on: .can11At500) == isTaken)
        // Then it goes to the target.
        request.target = ECUAddress(0x7E0, .can11)
        #expect(request.isReadOnly(on: .can11At500))
        request.target = nil
        request.responders = .matching(pattern: ECUAddress(0x700, .can11), mask: 0x700)
        #expect(!request.isReadOnly(on: .can11At500))
    }
}
