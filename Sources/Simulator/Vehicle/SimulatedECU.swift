import OBDCore

/// One ECU: its fixed model, its codes, and its diagnostic session.
struct SimulatedECU: Sendable {
    let model: ECUModel
    /// The ECU's position among the emissions ECUs on CAN: 0 is asked at 7E0 and answers with 7E8.
    let index: UInt8
    var faults: FaultMemory
    /// km into the drive at the last clear.
    var distanceAtClear = 0.0
    /// The UDS session: 01 default, 03 extended.
    var session: UInt8 = 0x01

    /// An ECU with the initial codes of its model.
    init(_ model: ECUModel, index: UInt8) {
        self.model = model
        self.index = index
        faults = model.faults
    }

    /// The address of the ECU's answers on a vehicle with `vehicleProtocol`.
    func address(_ vehicleProtocol: VehicleProtocol) -> ECUAddress {
        if vehicleProtocol.family == .j1939 { return ECUAddress(UInt32(model.address), .byte) }
        if let can = model.can, can.answer.form == vehicleProtocol.addressForm { return can.answer }
        return switch vehicleProtocol.addressForm {
        case .can11: ECUAddress(0x7E8 + UInt32(index), .can11)
        case .can29: ECUAddress(0x18DA_F100 | UInt32(model.address), .can29)
        case .byte: ECUAddress(UInt32(model.address), .byte)
        case .logical: ECUAddress(0x1000 | UInt32(model.address), .logical)
        }
    }

    /// The address of requests to this ECU only.
    func requestAddress(_ vehicleProtocol: VehicleProtocol) -> ECUAddress {
        let answers = address(vehicleProtocol)
        guard let can = model.can, can.answer == answers else { return answers.physicalRequest }
        return can.request
    }

    /// The records with current values and the identifiers to request them.
    func told(on family: VehicleProtocol.Family) -> [(DataID, DataRecord)] {
        if family == .j1939 {
            return model.groups.map { (DataID(DataID.parameterGroups, $0.record.id), $0.record) }
        }
        return model.records.map { (DataID(.currentData, $0.id), $0) }
    }

    mutating func answer(_ request: ECURequest) -> ECUAnswer {
        guard let service = request.payload.first, model.role != .silent,
            model.isFunctional || !request.functional
        else { return .silence }
        let data = Array(request.payload.dropFirst())
        var filled = request
        filled.state = filling(request.state)
        let answer: ECUAnswer
        if let code = model.refusals[service] {
            answer = .refusal(code)
        } else {
            answer =
                switch model.role {
                case .obd: self.answer(service, data, filled)
                case .onUDS: answerOnUDS(service, data, filled)
                case .diagnostics: answerDiagnostics(service, data, filled)
                case .silent: .silence
                }
        }
        return Self.withheld(answer, filled) ? .silence : answer
    }

    /// The state with the counters of this ECU.
    func filling(_ state: VehicleState) -> VehicleState {
        var filled = state
        filled.counters = faults.counters(
            elapsed: state.elapsed, distance: state.distance, distanceAtClear: distanceAtClear)
        return filled
    }

    /// The classic services of SAE J1979, and some UDS services.
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
        default: answerDiagnostics(service, data, request)
        }
    }

    /// Only the services of SAE J1979-2.
    private mutating func answerOnUDS(
        _ service: UInt8, _ data: [UInt8], _ request: ECURequest
    ) -> ECUAnswer {
        switch service {
        case 0x19: codesOnUDS(data, request)
        case 0x22: identifiersOnUDS(data, request)
        default: answerDiagnostics(service, data, request)
        }
    }

    /// UDS; before CAN the services of KWP 2000.
    private mutating func answerDiagnostics(
        _ service: UInt8, _ data: [UInt8], _ request: ECURequest
    ) -> ECUAnswer {
        switch service {
        case 0x10: sessionControl(data)
        case 0x14: clearByUDS(data, request)
        case 0x18 where request.family == .iso14230: codesByStatus(data)
        case 0x19: codeInformation(data, request)
        case 0x1A where request.family == .iso14230: identification(data, request)
        case 0x21 where request.family == .iso14230: dataByLocalIdentifier(data, request)
        case 0x22: dataByIdentifier(data, request)
        case 0x3E: testerPresent(data, request)
        default: .refusal(0x11)
        }
    }

    /// Whether a refusal is suppressed, because a functional request would get one from every ECU.
    private static func withheld(_ answer: ECUAnswer, _ request: ECURequest) -> Bool {
        guard case .refusal(let code) = answer, request.functional else { return false }
        return [0x11, 0x12, 0x13, 0x31, 0x7E, 0x7F].contains(code)
    }
}
