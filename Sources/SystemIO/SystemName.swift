import Glibc
import OBDCore

/// The system and its version, such as `Linux 6.1.0 x86_64`.
public func systemName() -> String {
    var name = utsname()
    guard uname(&name) == 0 else { return "unknown" }
    let field = { (pointer: UnsafeRawPointer) in
        String(cString: pointer.assumingMemoryBound(to: CChar.self))
    }
    return withUnsafePointer(to: &name.sysname) { field($0) } + " "
        + withUnsafePointer(to: &name.release) { field($0) } + " "
        + withUnsafePointer(to: &name.machine) { field($0) }
}

/// This computer's name, up to its first dot.
public func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "host" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        .split(separator: ".").first.map(String.init) ?? "host"
}

/// Eight hexadecimal digits that distinguish this machine from others with the same name; nil without an identity.
///
/// The board's serial number comes first, because a copied memory card holds the same machine id. Only a
/// digest leaves the machine.
public func machineDigest(
    _ places: [String] = ["/proc/device-tree/serial-number", "/etc/machine-id"]
) -> String? {
    for place in places {
        guard let bytes = try? Files.bytes(of: place) else { continue }
        let identity = bytes.filter { $0 > 0x20 && $0 < 0x7F }
        if identity.isEmpty || identity.allSatisfy({ $0 == UInt8(ascii: "0") }) { continue }
        // FNV-1a, 64 bits.
        let hash = identity.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return Hex.string((0..<4).map { UInt8(truncatingIfNeeded: hash >> (8 * (3 - $0))) })
            .lowercased()
    }
    return nil
}
