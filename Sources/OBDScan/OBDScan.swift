/// All libraries for a scan tool of your own: `import OBDScan`.
///
/// `OBDScan.ScanError` names a type of any of them, even of a module that has a type of its own name.
@_exported public import Accessory
@_exported public import Adapters
@_exported public import Diagnostics
@_exported public import LocalLinks
@_exported public import OBDCore
@_exported public import PIDTables
@_exported public import ScanSession
@_exported public import ScanTool
@_exported public import SystemIO
@_exported public import VehicleLink
@_exported public import VehicleScan

extension Vehicle {
    /// Opens the adapter at an address as `-d` takes it, with the built-in tables: `/dev/ttyUSB0`, `sim:`.
    ///
    /// `registry` has the transports, with your own if there are any.
    public static func connect(
        to address: String, in registry: TransportRegistry = .all
    ) async throws -> Vehicle {
        try await connect(
            to: registry.address(address), table: PIDTables.standard(),
            monitors: PIDTables.monitorTables())
    }
}
