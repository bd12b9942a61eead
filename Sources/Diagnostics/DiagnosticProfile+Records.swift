public import OBDCore

// Finds the identifier in a profile's services for a record that tables have under another service.
extension DiagnosticProfile {
    /// The identifier under which a vehicle with this profile has the record `dataID`; nil if it has no such
    /// record.
    ///
    /// SAE J1979-2 has PIDs at F4xx, monitor IDs at F6xx and info types at F8xx. The record's data are the
    /// same, so its table row decodes them.
    public func place(of dataID: DataID) -> DataID? {
        guard dataID.service != DataID.frames else { return nil }
        switch self {
        case .classicCAN, .classicLegacy:
            return dataID.service == DataID.parameterGroups ? nil : dataID
        case .onUDS:
            switch dataID.service {
            case .currentData where dataID.id <= 0xFF: return DataID(.readData, 0xF400 | dataID.id)
            case .monitorTests where dataID.id <= 0xFF:
                return DataID(.readData, 0xF600 | dataID.id)
            case .vehicleInformation where dataID.id <= 0xFF:
                return DataID(.readData, 0xF800 | dataID.id)
            case .freezeFrame, DataID.parameterGroups: return nil
            default: return dataID
            }
        case .j1939:
            return dataID.service == DataID.parameterGroups && dataID.isRequestable ? dataID : nil
        }
    }

    /// Requests that identify the vehicle in addition to its info types, if these services have any.
    ///
    /// SAE J1939: component and software identification, calibrations (DM19).
    public var identificationRequests: [[UInt8]] {
        switch self {
        case .classicCAN, .classicLegacy, .onUDS: []
        case .j1939: [[0x00, 0xFE, 0xEB], [0x00, 0xFE, 0xDA], [0x00, 0xD3, 0x00]]
        }
    }

    /// Whether a vehicle announces its records; in SAE J1939 each has to be requested.
    public var announcesRecords: Bool { request(for: .supportedPIDs(0)) != nil }

    /// Whether ``DiagnosticQuery/clearCodes`` is sent to each ECU.
    ///
    /// In SAE J1939 a request to all ECUs is not acknowledged.
    public var clearsByECU: Bool { self == .j1939 }

    /// Whether a table's record has measured values in these services.
    public func isMeasured(_ dataID: DataID) -> Bool {
        switch self {
        case .classicCAN, .classicLegacy, .onUDS: dataID.service == .currentData
        case .j1939: dataID.service == DataID.parameterGroups
        }
    }

    /// The table's record of the engine speed: PID 0C, or EEC1 of SAE J1939.
    public var engineSpeed: DataID {
        switch self {
        case .classicCAN, .classicLegacy, .onUDS: DataID(.currentData, 0x0C)
        case .j1939: DataID(DataID.parameterGroups, 0xF004)
        }
    }

    /// The table's record of the vehicle speed: PID 0D, or CCVS of SAE J1939.
    public var vehicleSpeed: DataID {
        switch self {
        case .classicCAN, .classicLegacy, .onUDS: DataID(.currentData, 0x0D)
        case .j1939: DataID(DataID.parameterGroups, 0xFEF1)
        }
    }

    /// The standard's name: `SAE J1979`.
    public var standard: String {
        switch self {
        case .classicCAN, .classicLegacy: "SAE J1979"
        case .onUDS: "SAE J1979-2 (OBDonUDS)"
        case .j1939: "SAE J1939"
        }
    }
}

extension PIDTable {
    /// The parameter groups of SAE J1939 with measured values that ECUs may be asked for, in the order of the
    /// table.
    ///
    /// Identification and diagnostic messages have their own requests. Groups of other ECUs than the engine are
    /// requested by name only.
    public var measuredGroups: [Record] {
        let identifying: Set<UInt32> = [0xFEEC, 0xFEEB, 0xFEDA, 0xD300, 0xFECE]
        return records.filter {
            $0.dataID.service == DataID.parameterGroups && $0.dataID.isRequestable
                && !identifying.contains($0.dataID.id) && !Self.unaskedGroups.contains($0.dataID.id)
        }
    }

    /// The parameter groups of SAE J1939 with measured values that ECUs are not asked for unless they are named, in the
    /// order of the table: those of other ECUs than the engine, and those that a request may not name.
    public var unaskedGroups: [Record] {
        records.filter {
            $0.dataID.service == DataID.parameterGroups && $0.dataID.isHeard
                && (!$0.dataID.isRequestable || Self.unaskedGroups.contains($0.dataID.id))
        }
    }

    /// Retarder, brakes, gearbox, tachograph and others, which ECUs send often enough by themselves.
    private static let unaskedGroups: Set<UInt32> = [
        0xF000, 0xF001, 0xF002, 0xF005, 0xFE56, 0xFE6C, 0xFEA4, 0xFEBD, 0xFEBE, 0xFEBF, 0xFEC1,
        0xFEDD, 0xFEF0, 0xFEF8, 0xFEFF,
    ]
}

extension PIDTable.Record {
    /// The address of the record's requests and of its answers; `ecu` is the wanted ECU, nil for any.
    ///
    /// The table's request address takes precedence over the rule of ISO 15765-4, unless another ECU than the
    /// table's is wanted.
    public func route(to ecu: ECUAddress?) -> (target: ECUAddress?, responder: ECUAddress?) {
        guard let ecu, responder != ecu else { return (target, responder) }
        return responder == nil && target != nil
            ? (target, ecu) : (ecu.physicalRequest, nil)
    }
}
