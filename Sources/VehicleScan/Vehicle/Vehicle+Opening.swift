public import Accessory
public import Diagnostics
public import OBDCore
public import ScanSession
public import SystemIO

extension Vehicle {
    /// Opens an adapter, sets it up, and waits for its vehicle.
    ///
    /// - Parameters:
    ///   - address: the adapter's address, as `TransportRegistry` reads it from text.
    ///   - table: decodes the answers.
    ///   - monitors: the names and scalings of monitors.
    ///   - ecu: the only ECU to ask; nil for all ECUs.
    ///   - sinks: receive the results of polled requests.
    public static func open(
        _ address: AccessoryAddress, table: PIDTable, monitors: MonitorTables,
        ecu: ECUAddress? = nil, sinks: [any ReadingSink] = [], inbox: SignalInbox? = nil
    ) throws(VehicleError) -> Vehicle {
        try open(
            address, table: table, monitors: monitors, ecu: ecu, sinks: sinks, inbox: inbox,
            interruptedBy: inbox?.descriptor)
    }

    static func open(
        _ address: AccessoryAddress, table: PIDTable, monitors: MonitorTables, ecu: ECUAddress?,
        sinks: [any ReadingSink], inbox: SignalInbox?, interruptedBy interrupt: Int32?
    ) throws(VehicleError) -> Vehicle {
        let connector: Connector
        do {
            connector = try address.transport.connector()
        } catch {
            throw .session(.accessory(error))
        }
        var configuration = SessionConfiguration(connector: connector)
        configuration.dialect =
            DialectChoice(speaking: address.transport.protocols) ?? configuration.dialect
        let scan: ScanSession
        do {
            scan = try ScanSession.start(
                configuration,
                decoder: ResponseDecoder(table: table, monitors: monitors), sinks: sinks,
                interruptedBy: interrupt)
        } catch {
            throw .session(error)
        }
        return Vehicle(
            scan: scan, table: table, accessory: connector.name,
            key: address.transport.memoryKey, ecu: ecu, inbox: inbox)
    }

    /// Ends the session in order and leaves the adapter at its prompt.
    public func close() { scan.stop() }
}
