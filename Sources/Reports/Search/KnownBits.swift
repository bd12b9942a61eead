import Diagnostics
import OBDCore
import VehicleLink

/// The bits of messages that a table describes, which are no longer searched.
package struct KnownBits {
    private let table: PIDTable

    /// The records of tables that the user named.
    package init(_ table: PIDTable) { self.table = table }

    /// The known bits of the frames of an identifier; nil if there are none.
    package func mask(of stream: StreamID) -> BitMask? {
        let address = ECUAddress(stream.id, stream.isExtended ? .can29 : .can11)
        let group = J1939.Identifier(stream.id).parameterGroup
        var mask = BitMask(bytes: stream.width)
        var isKnown = false
        for record in table.records where record.isNamed {
            guard
                record.dataID.frameAddress == address
                    || stream.isExtended && record.dataID.service == DataID.parameterGroups
                        && record.dataID.id == group
            else { continue }
            isKnown = true
            for index in record.signals {
                let signal = table[SignalIndex(rawValue: index)]
                for place in signal.bitOffset..<signal.bitOffset + max(0, signal.bitLength) {
                    mask.insert(
                        signal.isLittleEndian ? place : place / 8 * 8 + 7 - place % 8)
                }
            }
        }
        return isKnown ? mask : nil
    }
}
