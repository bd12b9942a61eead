import OBDCore

/// One ECU: its fixed model, its codes, its diagnostic session.
struct SimulatedECU: Sendable {
    /// What it can do.
    let model: ECUModel
    /// Its place on CAN: 0 answers with 7E8.
    let index: UInt8
    /// Its codes.
    var faults: FaultMemory
    /// km into the drive at the last clear.
    var distanceAtClear = 0.0
    /// The UDS session: 01 default, 03 extended.
    var session: UInt8 = 0x01

    /// An ECU with the codes that its model begins with.
    init(_ model: ECUModel, index: UInt8) {
        self.model = model
        self.index = index
        faults = model.faults
    }

    /// Its address on a vehicle that speaks `vehicleProtocol`.
    func address(_ vehicleProtocol: VehicleProtocol) -> ECUAddress {
        switch vehicleProtocol.addressForm {
        case .can11: ECUAddress(0x7E8 + UInt32(index), .can11)
        case .can29: ECUAddress(0x18DA_F100 | UInt32(model.address), .can29)
        case .byte: ECUAddress(UInt32(model.address), .byte)
        }
    }

    /// Answers one request.
    mutating func answer(_ request: ECURequest) -> ECUAnswer {
        guard let service = request.payload.first else { return .silence }
        let data = Array(request.payload.dropFirst())
        var filled = request
        filled.state.counters = faults.counters(
            elapsed: request.state.elapsed, distance: request.state.distance,
            distanceAtClear: distanceAtClear)
        let answer =
            model.isOnUDS ? answerOnUDS(service, data, filled) : answer(service, data, filled)
        return Self.withheld(answer, filled) ? .silence : answer
    }

    /// The classic services of SAE J1979, and some of UDS beside them.
    private mutating func answer(
        _ service: UInt8, _ data: [UInt8], _ request: ECURequest
    ) -> ECUAnswer {
        switch service {
        case 0x01: currentData(data, request)
        case 0x02: freezeFrame(data, request)
        case 0x03: codes(faults.stored, response: 0x43, data, request)
        case 0x04: clear(data, request)
        case 0x05: oxygenTests(data, request)
        case 0x06: monitorTests(data, request)
        case 0x07: codes(faults.pending, response: 0x47, data, request)
        case 0x09: vehicleInformation(data, request)
        case 0x0A where request.isCAN:
            codes(faults.permanent, response: 0x4A, data, request)
        case 0x19: codeInformation(data, request)
        case 0x22: dataByIdentifier(data, request)
        default: answerUDS(service, data, request)
        }
    }

    /// The services of SAE J1979-2 alone.
    private mutating func answerOnUDS(
        _ service: UInt8, _ data: [UInt8], _ request: ECURequest
    ) -> ECUAnswer {
        switch service {
        case 0x19: codesOnUDS(data, request)
        case 0x22: identifiersOnUDS(data, request)
        default: answerUDS(service, data, request)
        }
    }

    private mutating func answerUDS(
        _ service: UInt8, _ data: [UInt8], _ request: ECURequest
    ) -> ECUAnswer {
        switch service {
        case 0x10: sessionControl(data, request)
        case 0x14: clearByUDS(data, request)
        case 0x3E: testerPresent(data, request)
        default: .refusal(0x11)
        }
    }

    /// Whether a refusal stays unsaid: nobody wants to hear "not me" from every ECU.
    private static func withheld(_ answer: ECUAnswer, _ request: ECURequest) -> Bool {
        guard case .refusal(let code) = answer, request.functional else { return false }
        return [0x11, 0x12, 0x13, 0x31, 0x7E, 0x7F].contains(code)
    }
}
