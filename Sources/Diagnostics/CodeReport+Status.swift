import OBDCore

extension CodeReport {
    /// The status byte in words; empty for a code without one.
    package var statusWords: [String] { code.statusWords(of: statusByte) }
}

extension CodeReport.Code {
    /// A status byte of this code in words; empty without one.
    ///
    /// A code with a failure type is one of UDS, whose bits ISO 14229-1 names. The status byte of KWP
    /// (ISO 14230-3) says in its upper half whether the code is stored, which is the kind of its report, and
    /// in bit 7 whether the warning lamp is on.
    package func statusWords(of byte: UInt8?) -> [String] {
        guard let byte, case .dtc(let code) = self else { return [] }
        guard code.failureType != nil else { return byte & 0x80 != 0 ? ["warning lamp on"] : [] }
        let names = Self.statusBits.enumerated().filter { byte >> $0.offset & 1 == 1 }
        return names.map(\.element)
    }

    /// The bits of the status byte of ISO 14229-1, from bit 0 on.
    private static let statusBits = [
        "test fails now", "test failed in this cycle", "pending", "confirmed",
        "not tested since the clearing", "test failed since the clearing",
        "not tested in this cycle", "warning light requested",
    ]
}
