import Glibc
import OBDCore
import SystemIO

/// Asks the BlueZ daemon, which every user is allowed to do.
enum BlueZ {
    private static let service = "org.bluez"
    /// An inquiry takes 10.24 s to find every device.
    ///
    /// Older devices are asked for their names after that.
    private static let searchTime = Duration.seconds(25)
    /// For requests that the daemon answers from its memory.
    private static let patience = Duration.seconds(5)

    /// The controllers and devices that the daemon knows now.
    static func objects(cancelledBy cancel: Int32? = nil) throws(SystemBus.Fault) -> BlueZObjects {
        let deadline = SystemClock.now() + patience
        var bus = try SystemBus(until: deadline, cancelledBy: cancel)
        return try objects(&bus, until: deadline)
    }

    static func objects(
        _ bus: inout SystemBus, until deadline: Instant
    ) throws(SystemBus.Fault) -> BlueZObjects {
        BlueZObjects(
            try bus.call(
                service, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects",
                until: deadline))
    }

    /// Subscribes to everything that BlueZ announces.
    static func subscribe(_ bus: inout SystemBus, until deadline: Instant) throws(SystemBus.Fault) {
        _ = try bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch",
            [.text("type='signal',sender='\(service)'")], until: deadline)
    }

    /// The record of a device in BlueZ; nil if there is none or BlueZ is not running.
    static func device(_ address: BluetoothAddress) -> BlueZObjects.Device? {
        (try? objects())?.devices.first { $0.address == address }
    }

    /// Finds a device by name, first among the known ones, then by a search; nil if cancelled.
    static func device(
        named name: String, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> BlueZObjects.Device? {
        do {
            return try search(name, cancelledBy: cancel)
        } catch let fault as SystemBus.Fault {
            switch fault {
            case .cancelled: return nil
            case .refused(let error) where error.hasSuffix(".NotReady"):
                throw .bluetooth(.unavailable(errno: ENETDOWN))
            // Without the daemon, users with the permission can still ask the controller directly.
            case .unavailable, .refused("org.freedesktop.DBus.Error.ServiceUnknown"),
                .refused("org.freedesktop.DBus.Error.NameHasNoOwner"):
                let address = try BluetoothInquiry.address(ofName: name)
                return BlueZObjects.Device(address: address, .entries([]))
            case .refused, .nonsense: throw .bluetooth(.unavailable(errno: EPROTO))
            case .timedOut: throw .bluetooth(.unavailable(errno: ETIMEDOUT))
            }
        } catch let error as AccessoryError {
            throw error
        } catch {
            throw .bluetooth(.unknownName(name))
        }
    }

    private static func search(_ name: String, cancelledBy cancel: Int32?) throws
        -> BlueZObjects.Device
    {
        var bus = try SystemBus(until: SystemClock.now() + patience, cancelledBy: cancel)
        let known = try objects(&bus, until: SystemClock.now() + patience)
        if known.adapters.isEmpty { throw AccessoryError.bluetooth(.unavailable(errno: ENODEV)) }
        let adapters = known.adapters.filter(\.isPowered)
        if adapters.isEmpty { throw AccessoryError.bluetooth(.unavailable(errno: ENETDOWN)) }
        if let device = try one(known.devices(named: name), name) { return device }
        let deadline = SystemClock.now() + searchTime
        try subscribe(&bus, until: deadline)
        for adapter in adapters {
            _ = try bus.call(
                service, adapter.path, "org.bluez.Adapter1", "SetDiscoveryFilter",
                [.properties(["Transport": "auto"])], until: deadline)
            _ = try bus.call(
                service, adapter.path, "org.bluez.Adapter1", "StartDiscovery", until: deadline)
        }
        var found: BlueZObjects.Device?
        do {
            while found == nil {
                let signal = try bus.nextSignal(until: deadline)
                guard signal.member == "InterfacesAdded" || signal.member == "PropertiesChanged"
                else { continue }
                found = try one(objects(&bus, until: deadline).devices(named: name), name)
            }
        } catch SystemBus.Fault.timedOut {
            let seen = (try? objects(&bus, until: SystemClock.now() + patience))?.devices ?? []
            throw AccessoryError.bluetooth(
                .unknownName(name, known: seen.compactMap(\.alias)))
        }
        // A controller connects slowly while it searches.
        for adapter in adapters {
            _ = try? bus.call(
                service, adapter.path, "org.bluez.Adapter1", "StopDiscovery",
                until: SystemClock.now() + patience)
        }
        guard let found else { throw AccessoryError.bluetooth(.unknownName(name)) }
        return found
    }

    /// Returns the only device; throws if there are several, because the user has to choose one.
    private static func one(
        _ devices: [BlueZObjects.Device], _ name: String
    ) throws(AccessoryError) -> BlueZObjects.Device? {
        if devices.count > 1 {
            throw .bluetooth(
                address: name, .severalOfThatName(devices.map(\.address.description)))
        }
        return devices.first
    }
}
