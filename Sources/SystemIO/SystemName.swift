import Glibc

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
