import Diagnostics
import Formats
import OBDCore
import VehicleScan

extension CodeScan {
    /// The number of codes of `ecu`; a code in several lists counts once.
    package func count(of ecu: ECUAddress?) -> Int {
        VehicleCondition(
            time: UTC(microseconds: 0), codes: codes.filter { $0.ecu == ecu }, items: []
        ).codes.count
    }

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
