import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import Settings
import SystemIO
import VehicleScan

extension ReportHead {
    /// The head with the configured workshop and the make from the VIN.
    init(customer: String?, vin: VIN?, odometer: Double? = nil) {
        self.init(
            customer: customer, workshop: UserSettings.current.workshop,
            make: vin.flatMap { PIDTables.vinTables().title(of: $0) }, odometer: odometer)
        logo = UserSettings.current.logo.flatMap { Self.logo(at: $0) }
    }

    /// The picture in a file; nil if it cannot be used, which does not hold a report up.
    private static func logo(at path: String) -> PageLogo? {
        let isInHome = path.hasPrefix("~/")
        let whole = isInHome ? (environment("HOME") ?? "") + path.dropFirst() : path
        guard let bytes = try? contents(of: whole), let logo = PageLogo(bytes) else {
            tellOnStandardError(
                "\(whole): this logo is left out: it is not a PNG, JPEG or SVG file of at most 1 MB\n"
            )
            return nil
        }
        return logo
    }
}

extension ConditionScan {
    /// The report with the user's settings.
    func report(
        of connection: Vehicle, before: VehicleCondition? = nil, customer: String? = nil,
        _ database: DatabaseOptions, _ output: OutputOptions
    ) -> ConditionReport {
        var head = ReportHead(customer: customer, vin: vin, odometer: odometer?.kilometres)
        if let vin, ScanRecord.isWanted(connection, database) {
            let store = try? database.open(.readOnly)
            head.name = try? store?.vehicle(vin.text)?.name
        }
        return report(of: connection, before: before, head: head, output.form)
    }
}
