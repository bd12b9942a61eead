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
    /// SAE J1939: VIN, component and software identification, calibrations (DM19).
    public var identificationRequests: [[UInt8]] {
        switch self {
        case .classicCAN, .classicLegacy, .onUDS: []
        case .j1939:
            [[0x00, 0xFE, 0xEC], [0x00, 0xFE, 0xEB], [0x00, 0xFE, 0xDA], [0x00, 0xD3, 0x00]]
        }
    }
}
