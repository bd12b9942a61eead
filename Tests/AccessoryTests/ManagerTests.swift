import Accessory
import Foundation
import OBDCore
import SystemIO
import Testing

/// Folders that replace /sys/class/tty and /dev.
private final class Devices {
    let root: URL
    let manager: AccessoryManager

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(
            path: "obdscan-devices-\(UUID().uuidString)")
        for folder in ["class", "dev", "by-id"] {
            try FileManager.default.createDirectory(
                at: root.appending(path: folder), withIntermediateDirectories: true)
        }
        // Resolve the path, because the temporary folder may be a link.
        let path = root.resolvingSymlinksInPath().path()
        manager = AccessoryManager(
            folders: AccessoryManager.Folders(
                terminals: "\(path)/class", devices: "\(path)/dev", stableNames: "\(path)/by-id"))
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// Adds an adapter on a USB bridge as in sysfs, with the attributes three folders up.
    func plugUSB(_ name: String, at port: String) throws {
        let usb = root.appending(path: "devices/usb1/\(port)")
        let device = usb.appending(path: "\(port):1.0/\(name)")
        try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
        for (file, text) in [
            ("idVendor", "0403\n"), ("idProduct", "6001\n"), ("manufacturer", "FTDI\n"),
            ("product", "FT232R USB UART\n"), ("serial", "A5XK3RJT\n"), ("bcdDevice", "0600\n"),
        ] {
            try text.write(to: usb.appending(path: file), atomically: true, encoding: .utf8)
        }
        try link(device.appending(path: "driver"), to: "/bus/usb-serial/drivers/ftdi_sio")
        let folder = root.appending(path: "class/\(name)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try link(folder.appending(path: "device"), to: device.path())
        try Data().write(to: root.appending(path: "dev/\(name)"))
        try link(
            root.appending(path: "by-id/usb-FTDI_\(name)"),
            to: root.appending(path: "dev/\(name)").path())
    }

    func unplug(_ name: String, at port: String) throws {
        for path in [
            "class/\(name)", "dev/\(name)", "by-id/usb-FTDI_\(name)", "devices/usb1/\(port)",
        ] {
            try FileManager.default.removeItem(at: root.appending(path: path))
        }
    }

    func addPort(_ name: String, type: String?) throws {
        let folder = root.appending(path: "class/\(name)")
        let device = root.appending(path: "devices/platform/\(name)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
        try link(folder.appending(path: "device"), to: device.path())
        if let type {
            try type.write(
                to: folder.appending(path: "type"), atomically: true, encoding: .utf8)
        }
        try Data().write(to: root.appending(path: "dev/\(name)"))
    }

    private func link(_ place: URL, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: place.path(), withDestinationPath: target)
    }
}

@Suite struct `The accessory manager` {
    @Test
    func `an adapter that a program attaches is listed until the program detaches it`() throws {
        let devices = try Devices()
        let address = AccessoryAddress.tcp(host: "192.0.2.1", port: 35_000)
        let added = devices.manager.attach("paddle", at: address, protocols: ["org.example.a"])
        #expect(added.name == "paddle" && devices.manager.attached() == [added])
        #expect(added.connector(for: "org.example.a")?.name == "tcp:192.0.2.1:35000")
        #expect(added.connector(for: "org.example.b") == nil)
        let again = devices.manager.attach("paddle", at: address, protocols: [])
        #expect(again.connectionID != added.connectionID)
        #expect(devices.manager.attached() == [again])
        devices.manager.detach(address)
        #expect(devices.manager.attached() == [])
    }

    @Test func `a program can add its protocols to an adapter that the system lists`() throws {
        let devices = try Devices()
        try devices.plugUSB("ttyUSB0", at: "1-2")
        let shown = try #require(devices.manager.attached().first)
        let added = devices.manager.attach(
            "paddle", at: shown.address, protocols: ["org.example.a"])
        #expect(added.connectionID == shown.connectionID && added.name == shown.name)
        #expect(added.protocols == shown.protocols + ["org.example.a"])
        #expect(devices.manager.attached() == [added])
    }

    @Test func `a USB adapter is described by its USB descriptors`() throws {
        let devices = try Devices()
        try devices.plugUSB("ttyUSB0", at: "1-2")
        let found = try #require(devices.manager.attached().first)
        #expect(found.address.description.hasSuffix("/dev/ttyUSB0"))
        #expect(found.name == "FT232R USB UART")
        #expect(found.manufacturer == "FTDI")
        #expect(found.model == "FT232R USB UART")
        #expect(found.serialNumber == "A5XK3RJT")
        #expect(found.hardware == "6.00")
        #expect(found.driver == "ftdi_sio")
        #expect(found.usbID == "0403:6001")
        #expect(found.stablePath?.hasSuffix("by-id/usb-FTDI_ttyUSB0") == true)
        #expect(found.isLikelyAdapter)
    }

    @Test func `ports without hardware are not listed`() throws {
        let devices = try Devices()
        try devices.addPort("ttyS0", type: "4\n")
        try devices.addPort("ttyS1", type: "0\n")
        #expect(devices.manager.attached().map(\.name) == ["ttyS0"])
        #expect(devices.manager.attached().map(\.isLikelyAdapter) == [false])
    }

    @Test func `each connect has its own number`() throws {
        let devices = try Devices()
        try devices.plugUSB("ttyUSB0", at: "1-1")
        try devices.plugUSB("ttyUSB1", at: "1-2")
        #expect(devices.manager.attached().map(\.connectionID) == [1, 2])
        #expect(devices.manager.attached().map(\.connectionID) == [1, 2])
        try devices.unplug("ttyUSB0", at: "1-1")
        #expect(devices.manager.attached().map(\.connectionID) == [2])
        try devices.plugUSB("ttyUSB0", at: "1-1")
        #expect(devices.manager.attached().map(\.connectionID) == [3, 2])
    }

    @Test
    func
        `only lasting changes among the attached adapters are reported`()
        throws
    {
        let devices = try Devices()
        try devices.plugUSB("ttyUSB0", at: "1-1")
        var watch = try AccessoryWatch(devices.manager)
        let none = watch.next()
        #expect(none.isEmpty)
        try devices.plugUSB("ttyUSB1", at: "1-2")
        var set = PollSet()
        set.add(watch.descriptor)
        #expect(try set.wait(until: SystemClock.now() + .seconds(5)) == 1)
        let came = watch.next()
        #expect(came.map(\.isConnect) == [true])
        try devices.plugUSB("ttyUSB2", at: "1-3")
        try devices.unplug("ttyUSB2", at: "1-3")
        let cancelled = watch.next()
        #expect(cancelled.isEmpty)
        try devices.unplug("ttyUSB1", at: "1-2")
        let went = watch.next()
        #expect(went.map(\.isConnect) == [false])
    }
}

extension AccessoryChange {
    fileprivate var isConnect: Bool {
        switch self {
        case .connected: true
        case .disconnected: false
        }
    }
}
