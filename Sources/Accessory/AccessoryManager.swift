import Glibc
import Synchronization
import SystemIO

/// Knows which adapters are attached.
///
/// Finds serial devices and Bluetooth devices that are connected now. The manager does not search networks or
/// scan for Bluetooth devices unless asked. Devices that are attached from the start are in the list but are
/// not announced.
public final class AccessoryManager: Sendable {
    /// The folders in which the system shows its devices; tests use other folders.
    public struct Folders: Hashable, Sendable {
        /// Has one folder per terminal.
        public var terminals: String
        /// Has the device nodes.
        public var devices: String
        /// The folder has links to the nodes, with names that stay the same when a device is plugged in
        /// again.
        public var stableNames: String

        /// The folders of the system.
        public static let system = Folders(
            terminals: "/sys/class/tty", devices: "/dev", stableNames: "/dev/serial/by-id")

        /// Sets the folders.
        public init(terminals: String, devices: String, stableNames: String) {
            self.terminals = terminals
            self.devices = devices
            self.stableNames = stableNames
        }
    }

    /// One connection of one device.
    ///
    /// Plugging a device in again makes a new folder in sysfs with a new inode. A Bluetooth device is
    /// forgotten when it is out of sight.
    private struct Connection: Hashable, Sendable {
        var node: String
        var inode: UInt64
    }

    private struct Known: Sendable {
        var connections: [Connection: Int] = [:]
        var last = 0
        /// The devices that ``attach(_:at:protocols:)`` added.
        var declared: [Accessory] = []
    }

    /// The folders in which the system shows its devices.
    public let folders: Folders
    /// Whether to ask BlueZ, too.
    let asksBlueZ: Bool
    private let known = Mutex(Known())

    /// Creates a manager that has not looked for devices yet.
    ///
    /// - Parameters:
    ///   - folders: where the kernel and udev list devices.
    ///   - asksBlueZ: whether to find Bluetooth devices, too, which takes a call to the BlueZ daemon.
    public init(folders: Folders = .system, asksBlueZ: Bool = false) {
        self.folders = folders
        self.asksBlueZ = asksBlueZ
    }

    /// The adapters that are attached now, sorted by node, with Bluetooth devices last.
    ///
    /// - Parameter withHolders: whether to find out which program has each one open, which looks at every
    ///   process.
    public func attached(withHolders: Bool = false) -> [Accessory] {
        var seen: Set<Connection> = []
        var found: [Accessory] = []
        let stable = stableNames()
        for name in Files.names(in: folders.terminals) {
            let folder = "\(folders.terminals)/\(name)"
            guard isReal(name, folder), let device = Files.resolve("\(folder)/device") else {
                continue
            }
            let node = "\(folders.devices)/\(name)"
            let connection = Connection(node: node, inode: Files.inode(device))
            seen.insert(connection)
            var accessory = describe(
                node: node, device: device, connectionID: id(of: connection))
            accessory.driver = Files.linkTarget("\(device)/driver").map(Self.lastPart)
            accessory.stablePath = stable[node]
            if withHolders { accessory.holder = DeviceHolder.find(node) }
            found.append(accessory)
        }
        for device in asksBlueZ ? BluetoothAccessories.devices() : [] where device.isConnected {
            let connection = Connection(node: device.address.description, inode: 0)
            seen.insert(connection)
            found.append(Accessory(device, connectionID: id(of: connection)))
        }
        known.withLock { known in
            known.connections = known.connections.filter { seen.contains($0.key) }
            for accessory in known.declared {
                if let index = found.firstIndex(where: { $0.address == accessory.address }) {
                    found[index].protocols += accessory.protocols
                } else {
                    found.append(accessory)
                }
            }
        }
        return found
    }

    /// Adds an adapter that the system does not show, or adds protocols to one that it shows.
    ///
    /// A serial line does not show which protocol it carries, so the caller has to name the protocol. An
    /// ``AccessoryWatch`` announces the adapter at its next look.
    @discardableResult
    public func attach(
        _ name: String, at address: AccessoryAddress, protocols: [String]
    ) -> Accessory {
        let accessory = known.withLock { known in
            known.last += 1
            var accessory = Accessory(
                address: address, connectionID: known.last, name: name)
            accessory.protocols = protocols
            known.declared.removeAll { $0.address == address }
            known.declared.append(accessory)
            return accessory
        }
        return attached().first { $0.address == address } ?? accessory
    }

    /// Removes what ``attach(_:at:protocols:)`` added for this address.
    public func detach(_ address: AccessoryAddress) {
        known.withLock { known in known.declared.removeAll { $0.address == address } }
    }

    /// Whether this is a real device and not a node that the kernel only reserves.
    private func isReal(_ name: String, _ folder: String) -> Bool {
        guard Files.exists("\(folder)/device") else { return false }
        // An unused ttyS has a type of 0 (PORT_UNKNOWN).
        if name.hasPrefix("ttyS"), Files.line("\(folder)/type") == "0" { return false }
        return Files.exists("\(folders.devices)/\(name)")
    }

    private func id(of connection: Connection) -> Int {
        known.withLock { known in
            if let id = known.connections[connection] { return id }
            known.last += 1
            known.connections[connection] = known.last
            return known.last
        }
    }

    /// Fills in the USB descriptors of a device, from the first folder upwards that has them.
    private func describe(node: String, device: String, connectionID: Int) -> Accessory {
        var accessory = Accessory(
            address: .serial(path: node, rate: nil), connectionID: connectionID,
            name: Self.lastPart(node))
        accessory.protocols = ["org.obdscan.elm327"]
        var folder = device
        while folder.count > 1 {
            if let vendor = Files.line("\(folder)/idVendor") {
                accessory.manufacturer = Files.line("\(folder)/manufacturer")
                accessory.model = Files.line("\(folder)/product")
                accessory.serialNumber = Files.line("\(folder)/serial")
                accessory.hardware = Files.line("\(folder)/bcdDevice").map(Self.revision)
                accessory.usbID = Files.line("\(folder)/idProduct").map { "\(vendor):\($0)" }
                accessory.name = accessory.model ?? accessory.name
                if let id = accessory.usbID, SLCANTransport.usbIDs.contains(id) {
                    accessory.address = AccessoryAddress(
                        SLCANTransport(SerialTransport(path: node, rate: nil)))
                    accessory.protocols = accessory.address.transport.protocols
                }
                break
            }
            folder = String(folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.startIndex))
        }
        return accessory
    }

    private func stableNames() -> [String: String] {
        var names: [String: String] = [:]
        for name in Files.names(in: folders.stableNames) {
            let link = "\(folders.stableNames)/\(name)"
            guard let target = Files.resolve(link) else { continue }
            names["\(folders.devices)/\(Self.lastPart(target))"] = link
        }
        return names
    }

    private static func lastPart(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// `0600` → `6.00` (USB 2.0, table 9-8: binary-coded decimal).
    private static func revision(_ digits: String) -> String {
        guard digits.utf8.count == 4, let major = Int(digits.prefix(2)) else { return digits }
        return "\(major).\(digits.suffix(2))"
    }
}
