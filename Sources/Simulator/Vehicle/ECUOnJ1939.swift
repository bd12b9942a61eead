import OBDCore
import VehicleLink

/// SAE J1939: parameter groups and the diagnostic messages of J1939-73.
extension SimulatedECU {
    /// The answer to a request for a parameter group.
    enum GroupAnswer: Hashable, Sendable {
        case data([UInt8])
        /// An acknowledgement with this control byte: 0 done, 1 refused, 3 cannot respond now.
        case acknowledgement(UInt8)
    }

    /// Answers the request for a parameter group; only a request to this ECU alone is refused.
    mutating func answer(parameterGroup group: UInt32, _ request: ECURequest) -> GroupAnswer? {
        guard model.role != .silent else { return nil }
        switch group {
        case 0xFED3, 0xFECC:
            // DM11 clears the active codes, DM3 the previously active ones.
            guard !request.state.engineRuns else { return .acknowledgement(3) }
            clear(parameterGroup: group, request)
            return .acknowledgement(0)
        case 0xFECD where !faults.parameterFrames.isEmpty: return .data(freezeFrames(request))
        default:
            if let bytes = data(ofGroup: group, request.state) { return .data(bytes) }
            return request.functional ? nil : .acknowledgement(1)
        }
    }

    /// The data of a parameter group; nil if the ECU does not have it.
    func data(ofGroup group: UInt32, _ state: VehicleState) -> [UInt8]? {
        switch group {
        case 0xFECA: message(faults.active)
        case 0xFECB: message(faults.inactive)
        case 0xFECE: readinessMessage()
        // DM12 emission-related active, DM6 pending and DM28 permanent codes: ECUs with monitors.
        case 0xFED4 where model.readiness.supported != 0:
            message(faults.active.filter { $0.lamps & 0x40 != 0 })
        case 0xFECF where model.readiness.supported != 0: message(faults.maturing)
        case 0xFD80 where model.readiness.supported != 0:
            message(faults.lasting)
        case 0xFEEC: model.vin.map { Array($0.utf8) + [UInt8(ascii: "*")] }
        default:
            model.groups.first { $0.record.id == group }?.record.bytes(filling(state))
        }
    }

    private mutating func clear(parameterGroup group: UInt32, _ request: ECURequest) {
        if group == 0xFECC {
            faults.inactive = []
        } else {
            faults.clear(at: request.state.elapsed)
            distanceAtClear = request.state.distance
        }
    }

    /// DM1 and DM2: lamps, flashing, four bytes per code; zeros if there is none.
    private func message(_ list: [FaultMemory.ParameterFault]) -> [UInt8] {
        let lamps = list.reduce(UInt8(0)) { $0 | $1.lamps }
        // Flashing is not reported.
        var bytes: [UInt8] = [lamps, 0xFF]
        for fault in list { bytes += Self.bytes(of: fault.code) }
        if list.isEmpty { bytes += [0, 0, 0, 0] }
        return bytes + [UInt8](repeating: 0xFF, count: max(0, 8 - bytes.count))
    }

    /// DM4: for each frame its length, the code, and the values that SAE J1939-73 requires.
    private func freezeFrames(_ request: ECURequest) -> [UInt8] {
        faults.parameterFrames.flatMap { frame in
            let state = request.past(frame.elapsed)
            func byte(_ place: Int, ofGroup group: UInt32) -> UInt8 {
                let bytes = data(ofGroup: group, state) ?? []
                return place < bytes.count ? bytes[place] : 0xFF
            }
            let count = faults.active.first {
                $0.code.spn == frame.code.spn && $0.code.fmi == frame.code.fmi
            }
            var code = frame.code
            code.occurrenceCount = count?.code.occurrenceCount ?? code.occurrenceCount
            let speed = UInt16(min(250, max(0, state.speed)) * 256)
            // Torque mode, boost, engine speed, load, coolant, vehicle speed.
            let body =
                Self.bytes(of: code) + [
                    byte(0, ofGroup: 0xF004), byte(1, ofGroup: 0xFEF6), byte(3, ofGroup: 0xF004),
                    byte(4, ofGroup: 0xF004), byte(2, ofGroup: 0xF003), byte(0, ofGroup: 0xFEEE),
                    UInt8(truncatingIfNeeded: speed), UInt8(truncatingIfNeeded: speed >> 8),
                ]
            return [UInt8(body.count)] + body
        }
    }

    private static func bytes(of code: J1939Code) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: code.spn), UInt8(truncatingIfNeeded: code.spn >> 8),
            UInt8(truncatingIfNeeded: code.spn >> 16) << 5 | code.fmi & 0x1F,
            code.occurrenceCount & 0x7F | (code.conversionMethod ? 0x80 : 0),
        ]
    }

    /// DM5: the numbers of codes, compliance, supported monitors, and those that have not completed.
    private func readinessMessage() -> [UInt8] {
        let readiness = model.readiness
        let supported = Self.groupBits(readiness.supported)
        let incomplete = Self.groupBits(
            faults.cleared == nil ? readiness.incomplete : readiness.supported)
        return [
            UInt8(min(250, faults.active.count)), UInt8(min(250, faults.inactive.count)),
            // 14h: heavy-duty OBD; 05: not intended to meet any requirement.
            readiness.supported == 0 ? 0x05 : 0x14, readiness.continuous,
        ] + supported + incomplete
    }

    /// Converts byte C of PID 01 for compression ignition into the two bytes of DM5.
    ///
    /// The first has the exhaust gas sensor and EGR; the second has boost pressure, particle filter, NOx and
    /// NMHC catalyst.
    private static func groupBits(_ bits: UInt8) -> [UInt8] {
        let first = bits & 0x20 | bits & 0x80
        var second: UInt8 = 0
        for (from, to) in [(3, 1), (6, 2), (1, 3), (0, 4)] where bits & (1 << from) != 0 {
            second |= 1 << to
        }
        return [first, second]
    }
}
