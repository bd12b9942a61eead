import Glibc
import OBDCore
import SystemIO

/// The way to an LE adapter: seen, connected, its services known, subscribed.
struct BLEOpening: ~Copyable {
    /// Why it ended early.
    enum Failure: Error {
        case cancelled
        case fault(AccessoryError)
    }

    private static let service = "org.bluez"
    private static let adapterInterface = "org.bluez.Adapter1"
    private static let deviceInterface = "org.bluez.Device1"
    private static let characteristic = "org.bluez.GattCharacteristic1"

    private let target: BLELink.Target
    private var bus: SystemBus

    /// Connects to the bus.
    init(_ target: BLELink.Target, cancel: Int32) throws(Failure) {
        self.target = target
        do throws(SystemBus.Fault) {
            bus = try SystemBus(
                path: target.bus, until: SystemClock.now() + target.limits.known,
                cancelledBy: cancel)
        } catch {
            throw Self.unavailable(error)
        }
    }

    /// The bus, for who stays connected.
    consuming func leaveBus() -> SystemBus { bus }

    /// Goes the whole way.
    mutating func run() throws(Failure) -> (
        device: String, layout: GATTLayout, hasConnected: Bool
    ) {
        let objects = BlueZObjects(try managedObjects())
        if objects.adapters.isEmpty {
            throw .fault(.bluetooth(.unavailable(errno: ENODEV)))
        }
        guard objects.adapters.contains(where: \.isPowered) else {
            throw .fault(.bluetooth(.unavailable(errno: ENETDOWN)))
        }
        let device: String
        if let known = objects.paths[target.address] {
            device = known
        } else {
            device = try search(objects.adapters.filter(\.isPowered).map(\.path))
        }
        try match("type='signal',sender='\(Self.service)',path_namespace='\(device)'")
        try match("type='signal',member='NameOwnerChanged',arg0='\(Self.service)'")
        serveAgent(for: device)
        let hasConnected = try connect(device)
        let body = try awaitServices(of: device)
        let found = GATTObjects(body, of: device)
        let layouts = GATTLayout.candidates(found, target.wish)
        if layouts.isEmpty {
            let services = found.services.filter { !GATTObjects.isStandard($0.uuid) }
            throw fault(
                .noSerialLine(
                    address: target.name, services: services.map { GATTObjects.short($0.uuid) }))
        }
        for layout in layouts {
            try subscribe(layout, device)
            if layouts.count == 1 { return (device, layout, hasConnected) }
            if try answers(layout) { return (device, layout, hasConnected) }
            _ = try? bus.call(
                Self.service, layout.notify.path, Self.characteristic, "StopNotify",
                until: SystemClock.now() + target.limits.known)
        }
        throw fault(
            .noAdapter(
                address: target.name, services: layouts.map { GATTObjects.short($0.service) }))
    }

    // MARK: Steps

    private mutating func managedObjects() throws(Failure) -> [DBusValue] {
        do throws(SystemBus.Fault) {
            return try bus.call(
                Self.service, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects",
                until: SystemClock.now() + target.limits.known)
        } catch {
            throw Self.unavailable(error)
        }
    }

    private mutating func match(_ rule: String) throws(Failure) {
        do throws(SystemBus.Fault) {
            _ = try bus.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                "AddMatch", [.text(rule)], until: SystemClock.now() + target.limits.known)
        } catch {
            throw Self.unavailable(error)
        }
    }

    /// Searches until the device is seen; gives its object.
    private mutating func search(_ adapters: [String]) throws(Failure) -> String {
        let deadline = SystemClock.now() + target.limits.search
        try match("type='signal',sender='\(Self.service)',member='InterfacesAdded'")
        for adapter in adapters {
            // A search that another program has begun finds the same.
            _ = try? bus.call(
                Self.service, adapter, Self.adapterInterface, "SetDiscoveryFilter",
                [.properties(["Transport": "le"])], until: deadline)
            _ = try? bus.call(
                Self.service, adapter, Self.adapterInterface, "StartDiscovery", until: deadline)
        }
        var found: String?
        do throws(SystemBus.Fault) {
            while found == nil {
                let signal = try bus.nextSignal(until: deadline)
                guard signal.member == "InterfacesAdded", signal.body.count > 1 else { continue }
                let address = signal.body[1][Self.deviceInterface]?["Address"]?.text
                guard address.flatMap({ BluetoothAddress($0) }) == target.address else { continue }
                found = signal.body[0].text
            }
        } catch {
            if error == .timedOut { throw fault(.unseen(address: target.name)) }
            throw Self.unavailable(error)
        }
        // A controller that searches connects slowly.
        for adapter in adapters {
            _ = try? bus.call(
                Self.service, adapter, Self.adapterInterface, "StopDiscovery",
                until: SystemClock.now() + target.limits.known)
        }
        guard let found else { throw fault(.unseen(address: target.name)) }
        return found
    }

    /// Answers BlueZ's questions while the device is paired.
    ///
    /// Some adapters pair by themselves as soon as something is asked of them, and without an agent the
    /// link is lost after 40 s.
    private mutating func serveAgent(for device: String) {
        bus.serve(PairingAgent(device: device, pin: target.pin ?? ""))
        for (member, arguments) in [
            ("RegisterAgent", [.path(PairingAgent.path), .text(PairingAgent.capability)]),
            ("RequestDefaultAgent", [DBusMessage.Argument.path(PairingAgent.path)]),
        ] {
            _ = try? bus.call(
                Self.service, "/org/bluez", "org.bluez.AgentManager1", member, arguments,
                until: SystemClock.now() + target.limits.known)
        }
    }

    /// Connects; false = another program has done so already.
    private mutating func connect(_ device: String) throws(Failure) -> Bool {
        if try isTrue("Connected", device) { return false }
        do throws(SystemBus.Fault) {
            _ = try bus.call(
                Self.service, device, Self.deviceInterface, "Connect",
                until: SystemClock.now() + target.limits.connect)
            return true
        } catch {
            switch error {
            case .refused("org.bluez.Error.AlreadyConnected"): return false
            case .refused("org.bluez.Error.NotReady"):
                throw .fault(.bluetooth(.unavailable(errno: ENETDOWN)))
            case .refused("org.freedesktop.DBus.Error.UnknownObject"):
                throw fault(.unseen(address: target.name))
            case .refused: throw fault(.notConnected(address: target.name, reason: reason))
            case .timedOut: throw fault(.notConnected(address: target.name, reason: "no answer"))
            case .cancelled, .unavailable, .nonsense: throw Self.unavailable(error)
            }
        }
    }

    /// Waits until BlueZ knows the services; gives what it then manages.
    private mutating func awaitServices(of device: String) throws(Failure) -> [DBusValue] {
        let deadline = SystemClock.now() + target.limits.services
        while try !isTrue("ServicesResolved", device) {
            do throws(SystemBus.Fault) {
                let signal = try bus.nextSignal(until: deadline)
                guard signal.path == device, signal.body.count > 1 else { continue }
                if signal.body[1]["Connected"]?.boolean == false {
                    throw SystemBus.Fault.timedOut
                }
            } catch {
                if error == .timedOut { throw fault(.noServices(address: target.name)) }
                throw Self.unavailable(error)
            }
        }
        return try managedObjects()
    }

    /// Asks for what comes from the adapter; a device that wants to be paired for it is paired now.
    private mutating func subscribe(_ layout: GATTLayout, _ device: String) throws(Failure) {
        do throws(SystemBus.Fault) {
            _ = try bus.call(
                Self.service, layout.notify.path, Self.characteristic, "StartNotify",
                until: SystemClock.now() + target.limits.subscribe)
        } catch {
            switch error {
            case .cancelled, .unavailable, .nonsense: throw Self.unavailable(error)
            case .refused, .timedOut: break
            }
            let reason = error == .timedOut ? "no answer" : reason
            if try isTrue("Paired", device) {
                throw fault(.notSubscribed(address: target.name, reason: reason))
            }
            throw fault(
                target.pin == nil
                    ? .wantsPairing(address: target.name) : .wrongPIN(address: target.name))
        }
    }

    /// Whether an adapter answers a command there: a prompt within a second.
    private mutating func answers(_ layout: GATTLayout) throws(Failure) -> Bool {
        let deadline = SystemClock.now() + target.limits.probe
        do throws(SystemBus.Fault) {
            _ = try bus.call(
                Self.service, layout.write.path, Self.characteristic, "WriteValue",
                layout.writeArguments(GATTLayout.question), until: deadline)
            while true {
                let signal = try bus.nextSignal(until: deadline)
                guard signal.path == layout.notify.path, let value = signal.gattValue else {
                    continue
                }
                if value.contains(UInt8(ascii: ">")) { return true }
            }
        } catch {
            switch error {
            case .timedOut, .refused: return false
            case .cancelled, .unavailable, .nonsense: throw Self.unavailable(error)
            }
        }
    }

    // MARK: Help

    /// A truth value of the device.
    private mutating func isTrue(_ property: String, _ device: String) throws(Failure) -> Bool {
        do throws(SystemBus.Fault) {
            return try bus.call(
                Self.service, device, "org.freedesktop.DBus.Properties", "Get",
                [.text(Self.deviceInterface), .text(property)],
                until: SystemClock.now() + target.limits.known
            ).first?.boolean ?? false
        } catch {
            // It has gone since it was seen.
            if case .refused = error { throw fault(.unseen(address: target.name)) }
            throw Self.unavailable(error)
        }
    }

    /// What BlueZ said of the last refusal: `le-connection-abort-by-local`.
    private var reason: String { bus.refusalText }

    private func fault(_ fault: BLEFault) -> Failure { .fault(AccessoryError(fault)) }

    /// The bus or the daemon is of no use.
    private static func unavailable(_ fault: SystemBus.Fault) -> Failure {
        switch fault {
        case .cancelled: .cancelled
        case .unavailable(let number): .fault(.bluetooth(.unavailable(errno: number)))
        case .refused("org.freedesktop.DBus.Error.ServiceUnknown"),
            .refused("org.freedesktop.DBus.Error.NameHasNoOwner"):
            .fault(.bluetooth(.unavailable(errno: ENOENT)))
        case .refused, .nonsense: .fault(.bluetooth(.unavailable(errno: EPROTO)))
        case .timedOut: .fault(.bluetooth(.unavailable(errno: ETIMEDOUT)))
        }
    }
}
