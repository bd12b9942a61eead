import OBDCore
import Testing

@Suite struct `Requests and refusals` {
    /// The safe list of the contract, and nothing beside it: whatever a first byte may be.
    @Test func `nothing but the safe list counts as reading`() {
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

    /// SAE J1939-73: DM3 (65228) and DM11 (65235) clear, DM1 (65226) and DM5 (65230) tell.
    @Test func `parameter groups that clear are not read`() {
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

    @Test func `whoever makes a request that writes cannot forget that it is not repeated`() {
        let id = RequestID(rawValue: 7)
        #expect(VehicleRequest(id: id, payload: [0x01, 0x0C]).mayRepeat)
        #expect(!VehicleRequest(id: id, payload: [0x04]).mayRepeat)
        #expect(!VehicleRequest(id: id, payload: []).mayRepeat)
        #expect(!VehicleRequest(id: id, payload: [0x03], mayRepeat: false).mayRepeat)
        #expect(VehicleRequest(id: id, payload: [0x04]).service == .clearCodes)
        #expect(VehicleRequest(id: id, payload: []).service == nil)
        #expect(RequestID(rawValue: 7) < RequestID(rawValue: 8))
    }

    /// ISO 14229-1: a positive response is the service plus 40.
    @Test func `services answer with their number plus 40`() {
        #expect(Service.currentData.positiveResponse == 0x41)
        #expect(Service.readData.positiveResponse == 0x62)
        #expect(Service.testerPresent.positiveResponse == 0x7E)
        #expect(Service.readCodeInformation.description == "19")
        #expect([Service.readData, .currentData].sorted() == [.currentData, .readData])
    }

    /// ISO 14229-1, table A.1, and ISO 14230-3 for 23: every name that the tables there give.
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
    func `reasons have the names of the standard`(code: UInt8, name: String) {
        #expect(NRC(code).name == name)
        #expect(NRC.named.contains(NRC(code)))
    }

    /// 8E, 00 and FF have no meaning; a name for them would be made up.
    @Test func `a reason without a name stays unknown`() {
        for code: UInt8 in [0x00, 0x01, 0x30, 0x77, 0x8E, 0xFF] {
            #expect(NRC(code).name == "unknown")
            #expect(!NRC.named.contains(NRC(rawValue: code)))
        }
        #expect(NRC.named.map(\.rawValue) == NRC.named.map(\.rawValue).sorted())
    }
}
