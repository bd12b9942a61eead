import Diagnostics
import VehicleScan

extension UnsupportedSignals {
    /// The missing signals since the last call, in two sentences; nil if there are none.
    ///
    /// A recording does not show what its vehicle supports.
    package func note(_ table: PIDTable, isRecorded: Bool) -> String? {
        let names = take().map { table[$0].id }
        guard !names.isEmpty else { return nil }
        if isRecorded {
            return "The recording does not answer the requests for "
                + "\(names.joined(separator: ", "))."
        }
        return "No ECU reports \(names.joined(separator: ", ")): this vehicle seems not to support "
            + "\(names.count == 1 ? "it" : "them"). \"obdscan pids list --supported\" lists the "
            + "signals that it supports."
    }
}
