import Diagnostics
import Reports
import TripStore
import VehicleScan

extension CodeWords {
    /// The user's texts, the embedded explanations, and the codes that obdscan cleared in this vehicle
    /// according to the database.
    ///
    /// An unusable database does not make the command fail.
    init(
        _ database: DatabaseOptions, _ connection: Vehicle, namesCommands: Bool = true
    ) throws(Failure) {
        var explanations = try loadCodeExplanations()
        explanations.namesCommands = namesCommands
        self.init(
            texts: try loadCodeTexts(), explanations: explanations,
            cleared: { vin, time in
                guard ScanRecord.isWanted(connection, database), let vin = vin?.text,
                    let store = try? database.open(.readOnly)
                else { return ClearedCodes() }
                return (try? ClearedCodes(of: vin, until: time, in: store))
                    ?? ClearedCodes()
            })
    }
}
