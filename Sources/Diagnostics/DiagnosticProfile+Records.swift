public import OBDCore

// Where the services of a profile keep a record that tables know under another service's name.
extension DiagnosticProfile {
    /// Under what a vehicle of this profile is asked for the record `dataID`; nil where it has no
    /// such record.
    ///
    /// SAE J1979-2 keeps PIDs behind F4xx, monitor ids behind F6xx and info types behind F8xx. The
    /// record's data are the same, so that its table row decodes them.
    public func place(of dataID: DataID) -> DataID? {
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
        case .j1939: return dataID.service == DataID.parameterGroups ? dataID : nil
        }
    }

    /// Requests that identify the vehicle beside its info types, where these services have some.
    ///
    /// SAE J1939: component and software identification, calibrations (DM19).
    public var identificationRequests: [[UInt8]] {
        switch self {
        case .classicCAN, .classicLegacy, .onUDS: []
        case .j1939: [[0x00, 0xFE, 0xEB], [0x00, 0xFE, 0xDA], [0x00, 0xD3, 0x00]]
        }
    }

    /// Whether a vehicle announces the records that it has; in SAE J1939 one has to ask.
    public var announcesRecords: Bool { request(for: .supportedPIDs(0)) != nil }

    /// Whether ``DiagnosticQuery/clearCodes`` is asked of each ECU: in SAE J1939 a request to all gets
    /// no acknowledgement.
    public var clearsByECU: Bool { self == .j1939 }

    /// Whether a table's record holds measured values that these services tell.
    public func isMeasured(_ dataID: DataID) -> Bool {
        switch self {
        case .classicCAN, .classicLegacy, .onUDS: dataID.service == .currentData
        case .j1939: dataID.service == DataID.parameterGroups
        }
    }

    /// The table's record of the engine's speed: PID 0C, or EEC1 of SAE J1939.
    public var engineSpeed: DataID {
        switch self {
        case .classicCAN, .classicLegacy, .onUDS: DataID(.currentData, 0x0C)
        case .j1939: DataID(DataID.parameterGroups, 0xF004)
        }
    }

    /// The table's record of the vehicle's speed: PID 0D, or CCVS of SAE J1939.
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
    /// The parameter groups of SAE J1939 that hold measured values, in the order of the table.
    ///
    /// Identification and diagnostic messages are asked for by requests of their own.
    public var measuredGroups: [Record] {
        let others: Set<UInt32> = [0xFEEC, 0xFEEB, 0xFEDA, 0xD300, 0xFECE]
        return records.filter {
            $0.dataID.service == DataID.parameterGroups && !others.contains($0.dataID.id)
        }
    }
}

extension PIDTable.Record {
    /// Where it is asked, and who answers; `ecu` is the one that is wanted, nil = any.
    ///
    /// The table knows better where an ECU is asked than the rule of ISO 15765-4, unless another ECU
    /// than the table's is wanted.
    public func route(to ecu: ECUAddress?) -> (target: ECUAddress?, responder: ECUAddress?) {
        guard let ecu, responder != ecu else { return (target, responder) }
        return responder == nil && target != nil
            ? (target, ecu) : (ecu.physicalRequest, nil)
    }
}
