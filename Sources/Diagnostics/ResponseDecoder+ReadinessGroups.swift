import OBDCore

// The readiness of SAE J1979-2: data identifier F501, and the codes of each readiness group (19 56).
//
// Numbers and layout are those of SAE J1979-DA (2021) in the diagnostic modules of three AUTOSAR stacks,
// which agree. The standard itself was not available.

extension MonitorStatus.Monitor {
    /// The monitors in the order of their readiness group identifiers, from 01.
    public static let readinessGroups: [MonitorStatus.Monitor] = [
        .catalyst, .heatedCatalyst, .misfire, .evaporative, .secondaryAir, .fuelSystem,
        .exhaustGasSensor, .egr, .crankcaseVentilation, .engineCooling,
        .coldStartEmissionReduction, .vvt, .directOzoneReduction, .components,
        .otherEmissionControl, .nmhcCatalyst, .noxSCR, .boostPressure, .noxAdsorber, .pmFilter,
    ]

    /// The readiness group identifier; nil if the monitor has no group.
    public var readinessGroup: UInt8? {
        Self.readinessGroups.firstIndex(of: self).map { UInt8($0 + 1) }
    }

    /// Bytes B to F of data identifier F501: bits 0 to 3 supported, 4 to 7 not complete.
    static let onUDS: [[MonitorStatus.Monitor]] = [
        [.misfire, .fuelSystem, .components, .engineCooling],
        [.catalyst, .nmhcCatalyst, .heatedCatalyst, .noxSCR],
        [.evaporative, .secondaryAir, .boostPressure, .pmFilter],
        [.exhaustGasSensor, .crankcaseVentilation, .egr, .vvt],
        [.directOzoneReduction, .coldStartEmissionReduction, .noxAdsorber, .otherEmissionControl],
    ]
}

extension ResponseDecoder {
    /// The data identifier that replaces PID 01 in SAE J1979-2.
    static let readinessOnUDS: UInt32 = 0xF501
    /// The length of the group; byte A is the same as in PID 01.
    static let readinessOnUDSLength = 6

    /// Appends the monitors in bytes B to F of F501.
    func appendReadinessOnUDS(
        _ answer: Answer, _ data: Range<Int>, _ out: inout [DiagnosticItem]
    ) {
        let bytes = answer.payload[data].dropFirst()
        for (byte, monitors) in zip(bytes, MonitorStatus.Monitor.onUDS) {
            for (bit, monitor) in monitors.enumerated() {
                let mask = UInt8(1) << UInt8(bit)
                append(monitor, .sinceClear, byte & mask != 0, byte & mask << 4 != 0, answer, &out)
            }
        }
    }

    /// Appends the monitors of a readiness group report: `59 56 group mask format RGID {DTC, status}`.
    ///
    /// A group is complete if every test of its codes is: status bit 4 since codes were cleared, bit 6 in
    /// this cycle. A bit that the ECU does not support has no meaning.
    func appendReadinessGroup(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        let groups = MonitorStatus.Monitor.readinessGroups
        let rest = (payload.count - 6) % 4
        guard payload.count >= 6, (1...groups.count).contains(Int(payload[5])),
            rest == 0 || RecordSplitter.isFiller(payload, from: payload.count - rest)
        else { return }
        let available = payload[3]
        var known = false
        var open: UInt8 = 0
        for place in stride(from: 6, through: payload.count - 4, by: 4)
        where Self.code(payload, place, format: payload[4]) != nil {
            known = true
            open |= payload[place + 3] & available
        }
        let monitor = groups[Int(payload[5]) - 1]
        for (scope, bit) in [(MonitorStatus.Scope.sinceClear, UInt8(0x10)), (.thisCycle, 0x40)]
        where available & bit != 0 {
            append(monitor, scope, known, open & bit != 0, answer, &out)
        }
    }

    private func append(
        _ monitor: MonitorStatus.Monitor, _ scope: MonitorStatus.Scope, _ isSupported: Bool,
        _ isIncomplete: Bool, _ answer: Answer, _ out: inout [DiagnosticItem]
    ) {
        out.append(
            .monitor(
                MonitorStatus(
                    ecu: answer.ecu, scope: scope, monitor: monitor, supported: isSupported,
                    complete: isSupported ? !isIncomplete : nil, line: answer.line)))
    }
}
