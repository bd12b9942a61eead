import Diagnostics
import OBDCore
import PIDTables
import Reports
import Settings
import VehicleScan

extension ReportHead {
    /// The head with the configured workshop and the make from the VIN.
    init(customer: String?, vin: VIN?, odometer: Double? = nil) {
        self.init(
            customer: customer, workshop: UserSettings.current.workshop,
            make: vin.flatMap { PIDTables.vinTables().title(of: $0) }, odometer: odometer)
    }
}

extension ConditionScan {
    /// The report with the user's settings.
    func report(
        of connection: Vehicle, before: VehicleCondition? = nil, customer: String? = nil,
        _ output: OutputOptions
    ) -> ConditionReport {
        report(
            of: connection, before: before,
            head: ReportHead(customer: customer, vin: vin, odometer: odometer?.kilometres),
            output.form)
    }
}
