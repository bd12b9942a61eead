public import OBDCore

/// Frames that ECUs send by themselves.
extension ResponseDecoder {
    /// Appends the signals of a frame; false if the table has no record of its identifier.
    ///
    /// A signal that is not wholly inside the frame has no value. Signals for which `wants` is false are
    /// left out: it is asked before a signal is decoded, and again with the value.
    public func decodeFrame(
        _ address: ECUAddress, _ data: [UInt8], line: Int, _ out: inout [DiagnosticItem],
        wants: (SignalIndex, Reading.Value?) -> Bool = { _, _ in true }
    ) -> Bool {
        guard let id = DataID(frame: address), let place = table.recordPlace(id) else {
            return false
        }
        let origin = RecordDecoder.Origin(ecu: address, dataID: id, line: line)
        records.decode(
            data, 0..<data.count, signals: table.records[place].signals, origin, wants: wants
        ) {
            out.append(.reading($0))
        }
        return true
    }
}
