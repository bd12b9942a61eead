import OBDCore

/// SAE J1939-73: readiness (DM5) and calibrations (DM19).
extension ResponseDecoder {
    /// The groups with monitors, and their period: DM5, and DM26 for this trip.
    static func readinessScope(of group: UInt32) -> MonitorStatus.Scope? {
        switch group {
        case 0xFECE: .sinceClear
        case 0xFDB8: .thisCycle
        default: nil
        }
    }

    /// DM19.
    static let calibrations: UInt32 = 0xD300

    /// The monitors in byte 5 (supported) and byte 7 (not complete), from bit 0 on.
    private static let firstMonitors: [MonitorStatus.Monitor] = [
        .catalyst, .heatedCatalyst, .evaporative, .secondaryAir, .gpfOrACRefrigerant,
        .exhaustGasSensor, .oxygenSensorHeater, .egrVvt,
    ]
    /// The monitors of bytes 6 and 8; three bits are reserved.
    private static let secondMonitors: [MonitorStatus.Monitor] = [
        .coldStartAid, .boostPressure, .pmFilter, .noxSCR, .nmhcCatalyst,
    ]

    /// Bytes 4 to 8: the monitors that are supported (in DM26 enabled in this trip), and those that have not
    /// completed.
    ///
    /// Byte 4: bits 0 to 2 misfire, fuel system and components supported, 4 to 6 not complete. In DM5 an ECU
    /// whose OBD compliance (byte 3) is 05, none, or not available has no monitors to report.
    func appendReadiness(
        _ answer: Answer, _ scope: MonitorStatus.Scope, _ out: inout [DiagnosticItem]
    ) {
        let bytes = answer.payload
        guard bytes.count >= 8, bytes[3...7].contains(where: { $0 != 0xFF }),
            scope == .thisCycle || bytes[2] != 0x05 && bytes[2] < 0xFB
        else { return }
        func append(_ monitor: MonitorStatus.Monitor, _ isSupported: Bool, _ isIncomplete: Bool) {
            out.append(
                .monitor(
                    MonitorStatus(
                        ecu: answer.ecu, scope: scope, monitor: monitor,
                        supported: isSupported, complete: isSupported ? !isIncomplete : nil,
                        line: answer.line)))
        }
        for (bit, monitor) in [MonitorStatus.Monitor.misfire, .fuelSystem, .components].enumerated()
        {
            append(monitor, bytes[3] & 0x01 << UInt8(bit) != 0, bytes[3] & 0x10 << UInt8(bit) != 0)
        }
        for (bit, monitor) in Self.firstMonitors.enumerated() {
            let mask = UInt8(1) << UInt8(bit)
            append(monitor, bytes[4] & mask != 0, bytes[6] & mask != 0)
        }
        for (bit, monitor) in Self.secondMonitors.enumerated() {
            let mask = UInt8(1) << UInt8(bit)
            append(monitor, bytes[5] & mask != 0, bytes[7] & mask != 0)
        }
    }

    /// Twenty bytes per calibration, repeated for each calibration of the ECU.
    func decodeCalibrations(
        _ answer: Answer, _ record: PIDTable.Record, _ out: inout [DiagnosticItem]
    ) {
        let length = record.length.upperBound
        let id = record.dataID
        guard answer.payload.count >= length else {
            out.append(
                answer.error(.tooShort(id, expected: length, received: answer.payload.count)))
            return
        }
        var place = 0
        let origin = RecordDecoder.Origin(ecu: answer.ecu, dataID: id, line: answer.line)
        while place + length <= answer.payload.count {
            defer { place += length }
            // Unused entries are filled with FF.
            if answer.payload[place + 4..<place + length].allSatisfy({ $0 == 0xFF }) { continue }
            records.decode(
                answer.payload, place..<place + length, signals: record.signals, origin
            ) { out.append(.reading($0)) }
        }
        answer.checkRest(from: place, &out)
    }
}
