import Diagnostics
import Formats
import OBDCore
import VehicleScan

extension CodeScan {
    /// The lights of `ecu` for a heading; nil if it did not report them.
    package func lights(
        of ecu: ECUAddress?, _ table: PIDTable
    ) -> (text: String, areOn: Bool)? {
        let lit = lamps(of: ecu)?.lit ?? []
        if !lit.isEmpty { return (lit.joined(separator: ", ") + " on", true) }
        return lampIsOn(ecu, table).map {
            $0 ? ("check engine light on", true) : ("light off", false)
        }
    }
}
