import CBluetooth
import Glibc

/// Finds Bluetooth devices by name.
enum BluetoothInquiry {
    // Units of 1.28 s (Bluetooth Core, HCI Inquiry): 8 = 10.24 s finds every device.
    private static let length: Int32 = 8
    private static let most: Int32 = 64
    private static let nameTimeout: Int32 = 5_000

    /// The address of the device in reach with this name.
    static func address(ofName name: String) throws(AccessoryError) -> BluetoothAddress {
        let controller = hci_get_route(nil)
        if controller < 0 { throw .bluetooth(.unavailable(errno: errno)) }
        let socket = hci_open_dev(controller)
        if socket < 0 { throw .bluetooth(.unavailable(errno: errno)) }
        defer { Glibc.close(socket) }
        var found: UnsafeMutablePointer<inquiry_info>?
        let count = hci_inquiry(controller, length, most, nil, &found, 0)
        if count < 0 { throw .system(call: "hci_inquiry", address: name, errno: errno) }
        defer { free(found) }
        for place in 0..<Int(count) {
            guard var address = found?[place].bdaddr else { break }
            if self.name(of: &address, over: socket) == name {
                let bytes = withUnsafeBytes(of: address) { Array($0.reversed()) }
                return BluetoothAddress(bytes: bytes)
            }
        }
        throw .bluetooth(.unknownName(name))
    }

    private static func name(of address: inout bdaddr_t, over socket: Int32) -> String? {
        var text = [CChar](repeating: 0, count: 249)
        guard
            hci_read_remote_name(
                socket, &address, Int32(text.count - 1), &text, nameTimeout) >= 0
        else { return nil }
        let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
    }
}
