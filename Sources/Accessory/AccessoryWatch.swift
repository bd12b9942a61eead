import CSystem
import Glibc
import OBDCore
import SystemIO

/// Reports which adapters are connected and disconnected from now on.
///
/// The kernel's device events (netlink), the folders of nodes (inotify) and, if the manager asks BlueZ, its
/// signals wake the watch. The watch then looks again for changes. A connection and a disconnection
/// that cancel each other out are therefore not reported.
public struct AccessoryWatch: ~Copyable {
    private let manager: AccessoryManager
    private let uevents: Int32
    private let folders: Int32
    // `SystemBus?` would be nil before the initialiser begins. Swift 6.2 fails to undo that when it throws.
    private var bus: Optional<SystemBus>
    private var last: [Accessory]

    /// Becomes readable when the list of devices may have changed: call ``next()`` then.
    ///
    /// The watch owns and closes it.
    public let descriptor: Int32

    /// Watches the adapters that `manager` finds.
    public init(_ manager: AccessoryManager) throws(SystemError) {
        let epoll = sys_epoll()
        if epoll < 0 { throw SystemError.last("epoll_create1") }
        // A container gets no device events, so the folders have to be enough.
        let uevents = sys_uevent_socket()
        let folders = sys_inotify()
        if folders < 0 {
            let error = SystemError.last("inotify_init1")
            Glibc.close(epoll)
            if uevents >= 0 { Glibc.close(uevents) }
            throw error
        }
        self.manager = manager
        descriptor = epoll
        self.uevents = uevents
        self.folders = folders
        bus = manager.asksBlueZ ? Self.subscribedBus() : nil
        last = manager.attached()
        if let link = bus?.descriptor { _ = sys_epoll_add(epoll, link) }
        if uevents >= 0 { _ = sys_epoll_add(epoll, uevents) }
        _ = sys_epoll_add(epoll, folders)
        watchFolders()
    }

    deinit {
        Glibc.close(descriptor)
        Glibc.close(folders)
        if uevents >= 0 { Glibc.close(uevents) }
    }

    /// The changes since the last look, disconnections first.
    public mutating func next() -> [AccessoryChange] {
        var buffer = [UInt8](repeating: 0, count: 8_192)
        // The content of the events does not matter, only their arrival.
        buffer.withUnsafeMutableBytes { buffer in
            while uevents >= 0, sys_uevent_receive(uevents, buffer.baseAddress, buffer.count) >= 0 {
            }
            while sys_read(folders, buffer.baseAddress, buffer.count) > 0 {}
        }
        watchFolders()
        do {
            _ = try bus?.takeSignals()
        } catch {
            // The bus has closed, so no more signals will arrive.
            bus = nil
        }
        let present = manager.attached()
        defer { last = present }
        return last.filter { old in !present.contains { $0.connectionID == old.connectionID } }
            .map(AccessoryChange.disconnected)
            + present.filter { new in !last.contains { $0.connectionID == new.connectionID } }
            .map(AccessoryChange.connected)
    }

    /// A bus connection that receives BlueZ's signals; nil if there is no bus.
    private static func subscribedBus() -> SystemBus? {
        let deadline = SystemClock.now() + .seconds(2)
        guard var bus = try? SystemBus(until: deadline, cancelledBy: nil),
            (try? BlueZ.subscribe(&bus, until: deadline)) != nil
        else { return nil }
        return bus
    }

    /// The folder of stable names is removed when it is empty, so the watch has to be renewed each time.
    private func watchFolders() {
        for folder in [manager.folders.devices, manager.folders.stableNames] {
            _ = sys_inotify_watch_folder(folders, folder)
        }
    }
}
