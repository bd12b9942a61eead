import Glibc
import OBDCore
import SystemIO

/// The steps to open an LE adapter: find it, connect, learn its services, subscribe.
struct BLEOpening: ~Copyable {
    /// Why opening ended early.
    enum Failure: Error {
        case cancelled
        case fault(AccessoryError)

        /// Whether the device was not seen.
        var isUnseen: Bool {
            if case .fault(let error) = self, case .unseen? = error.fault as? BLEFault {
                true
            } else {
                false
            }
        }
    }

    private static let service = "org.bluez"
    private static let adapterInterface = "org.bluez.Adapter1"
    private static let deviceInterface = "org.bluez.Device1"
    private static let characteristic = "org.bluez.GattCharacteristic1"

    private let target: BLELink.Target
    private var bus: SystemBus
    /// The object path of the device that this program connected; nil before it connects one.
    private var connected: Optional<String>

    init(_ target: BLELink.Target, cancel: Int32) throws(Failure) {
        bus = try Self.bus(of: target, cancel)
        self.target = target
        connected = nil
    }

    private static func bus(
        of target: BLELink.Target, _ cancel: Int32
    ) throws(Failure) -> SystemBus {
        do throws(SystemBus.Fault) {
            return try SystemBus(
                path: target.bus, until: SystemClock.now() + target.limits.known,
                cancelledBy: cancel)
        } catch {
            throw unavailable(error)
        }
    }

    /// Hands over the bus to the code that keeps the connection.
    consuming func leaveBus() -> SystemBus { bus }

    /// Runs all steps; a connection that then serves nothing is ended.
    mutating func run() throws(Failure) -> (
        device: String, layout: GATTLayout, hasConnected: Bool
    ) {
        do throws(Failure) {
            return try open()
        } catch {
            // BlueZ ends pending calls, such as a subscription, while its client is still there. A
            // pairing that lacks its number is different: if this program tells BlueZ 5.66 to
            // disconnect, the daemon crashes at the next subscription. Without that, BlueZ
            // disconnects after 30 s.
            let lacksPIN = bus.wasAskedForPIN && target.pin == nil
            if let connected, !lacksPIN {
                _ = try? bus.call(
                    Self.service, connected, Self.deviceInterface, "Disconnect",
                    until: SystemClock.now() + target.limits.disconnect)
            }
            throw error
        }
    }

    private mutating func open() throws(Failure) -> (
        device: String, layout: GATTLayout, hasConnected: Bool
    ) {
        let managed = try managedObjects()
        let objects = BlueZObjects(managed)
        if objects.adapters.isEmpty {
            throw .fault(.bluetooth(.unavailable(errno: ENODEV)))
        }
        guard objects.adapters.contains(where: \.isPowered) else {
            throw .fault(.bluetooth(.unavailable(errno: ENETDOWN)))
        }
        let adapters = objects.adapters.filter(\.isPowered).map(\.path)
        try match("type='signal',member='NameOwnerChanged',arg0='\(Self.service)'")
        var device = ""
        if let known = objects.paths[target.address] {
            do throws(Failure) {
                device = known
                try follow(known)
                try awaitDisconnection(of: known, GATTObjects(managed, of: known))
                connected = try connect(known) ? known : nil
            } catch {
                // BlueZ has dropped the object since, as it does after a pairing that failed.
                guard error.isUnseen else { throw error }
                device = ""
            }
        }
        if device.isEmpty {
            device = try search(adapters)
            try follow(device)
            connected = try connect(device) ? device : nil
        }
        let hasConnected = connected != nil
        let body = try awaitServices(of: device)
        let found = GATTObjects(body, of: device)
        let layouts = GATTLayout.candidates(found, target.wish)
        if layouts.isEmpty {
            let services = found.services.filter { !GATTObjects.isStandard($0.uuid) }
            throw fault(
                .noSerialLine(
                    address: target.name, services: services.map { GATTObjects.short($0.uuid) }))
        }
        // Two programs on one line would receive each other's answers.
        if layouts.contains(where: \.notify.isNotifying) {
            throw fault(.inUse(address: target.name))
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

    /// Follows the events of the device, and answers questions about it.
    private mutating func follow(_ device: String) throws(Failure) {
        try match("type='signal',sender='\(Self.service)',path_namespace='\(device)'")
        serveAgent(for: device)
    }

    /// Searches until the device is seen and returns its object path.
    private mutating func search(_ adapters: [String]) throws(Failure) -> String {
        let deadline = SystemClock.now() + target.limits.search
        try match("type='signal',sender='\(Self.service)',member='InterfacesAdded'")
        for adapter in adapters {
            // If another program has already begun a search, its results serve as well.
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
        // A controller connects slowly while it searches.
        for adapter in adapters {
            _ = try? bus.call(
                Self.service, adapter, Self.adapterInterface, "StopDiscovery",
                until: SystemClock.now() + target.limits.known)
        }
        guard let found else { throw fault(.unseen(address: target.name)) }
        return found
    }

    /// Answers BlueZ's questions while the device is being paired.
    ///
    /// Some adapters start pairing on their own at the first request. Without an agent the link is then lost
    /// after 40 s.
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

    /// Waits until BlueZ has ended an unused connection.
    ///
    /// BlueZ disconnects two seconds after the last program asked for it, and a connection that is joined in
    /// that time is lost. The wait is longer after a pairing that lacked its number, and then BlueZ often
    /// drops the object of the device, too.
    private mutating func awaitDisconnection(
        of device: String, _ known: GATTObjects
    ) throws(Failure) {
        guard !known.characteristics.contains(where: \.isNotifying),
            try isTrue("Connected", device)
        else { return }
        var mayLackPIN = false
        if target.pin != nil {
            mayLackPIN = try !isTrue("Paired", device)
            try match("type='signal',sender='\(Self.service)',member='InterfacesRemoved'")
        }
        let deadline =
            SystemClock.now()
            + (mayLackPIN ? target.limits.pairing : target.limits.disconnect)
        do throws(SystemBus.Fault) {
            while true {
                let signal = try bus.nextSignal(until: deadline)
                if signal.member == "InterfacesRemoved", signal.body.first?.text == device {
                    return
                }
                if signal.path == device, signal.body.count > 1,
                    signal.body[1]["Connected"]?.boolean == false
                {
                    return
                }
            }
        } catch {
            // The device stays connected because another program, such as bluetoothctl, needs the
            // connection.
            if error != .timedOut { throw Self.unavailable(error) }
        }
    }

    /// Connects to the device; false if another program is already connected to it.
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
            case .refused(PairingAgent.noPIN): throw fault(.wantsPairing(address: target.name))
            case .refused: throw fault(.notConnected(address: target.name, reason: reason))
            case .timedOut: throw fault(.notConnected(address: target.name, reason: "no answer"))
            case .cancelled, .unavailable, .nonsense: throw Self.unavailable(error)
            }
        }
    }

    /// Waits until BlueZ knows the services, and returns the managed objects.
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

    /// Subscribes to the adapter's data, and pairs the device if it demands that first.
    private mutating func subscribe(_ layout: GATTLayout, _ device: String) throws(Failure) {
        do throws(SystemBus.Fault) {
            _ = try bus.call(
                Self.service, layout.notify.path, Self.characteristic, "StartNotify",
                until: SystemClock.now() + target.limits.subscribe)
        } catch {
            let refusal: BLEFault.Refusal
            switch error {
            case .cancelled, .unavailable, .nonsense: throw Self.unavailable(error)
            case .timedOut: refusal = .silence
            case .refused(let name): refusal = BLEFault.Refusal(name, text: reason)
            }
            // A device that just asked for the number is not paired, so do not ask BlueZ.
            let isPaired =
                try error == .refused(PairingAgent.noPIN) ? false : isTrue("Paired", device)
            throw fault(
                BLEFault(
                    refusal, address: target.name, isPaired: isPaired, hasPIN: target.pin != nil,
                    wasAskedForPIN: bus.wasAskedForPIN))
        }
    }

    /// Whether an adapter answers a command on this layout, which means a prompt within a second.
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

    /// Reads a boolean property of the device.
    private mutating func isTrue(_ property: String, _ device: String) throws(Failure) -> Bool {
        do throws(SystemBus.Fault) {
            return try bus.call(
                Self.service, device, "org.freedesktop.DBus.Properties", "Get",
                [.text(Self.deviceInterface), .text(property)],
                until: SystemClock.now() + target.limits.known
            ).first?.boolean ?? false
        } catch {
            // The device has disappeared since it was seen.
            if case .refused = error { throw fault(.unseen(address: target.name)) }
            throw Self.unavailable(error)
        }
    }

    /// BlueZ's text for the last refusal: `le-connection-abort-by-local`.
    private var reason: String { bus.refusalText }

    private func fault(_ fault: BLEFault) -> Failure { .fault(AccessoryError(fault)) }

    /// Turns a fault of the bus or the daemon into a failure.
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
