public import Accessory
public import Diagnostics
public import OBDCore
public import ScanSession
public import SystemIO

extension Vehicle {
    /// Opens an accessory, sets the adapter up and waits for its vehicle.
    ///
    /// - Parameters:
    ///   - address: the accessory, as `TransportRegistry` reads it from text.
    ///   - table: what decodes answers.
    ///   - monitors: names and scalings of monitors.
    ///   - ecu: the one ECU to ask; nil = all of them.
    ///   - sinks: take what replies to polls bring.
    ///   - inbox: ends a question that waits, or a poll; nil = nothing does.
    public static func open(
        _ address: AccessoryAddress, table: PIDTable, monitors: MonitorTables,
        ecu: ECUAddress? = nil, sinks: [any ReadingSink] = [], inbox: SignalInbox? = nil
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
                interruptedBy: inbox?.descriptor)
        } catch {
            throw .session(error)
        }
        return Vehicle(
            scan: scan, table: table, accessory: connector.name,
            key: address.transport.memoryKey, ecu: ecu, inbox: inbox)
    }

    /// Ends the session in order: the adapter is left at its prompt.
    public func close() { scan.stop() }
}
