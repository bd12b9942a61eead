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
