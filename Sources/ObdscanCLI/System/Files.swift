import Glibc

/// Files that a folder may hold; more are a mistake.
private let mostFiles = 10_000

/// The paths of a folder's files whose names end so, by name.
func files(in folder: String, ending: String) throws(Failure) -> [String] {
    guard let directory = opendir(folder) else { throw Failure(inputFile: folder, errno: errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory), names.count < mostFiles {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.hasSuffix(ending) { names.append(name) }
    }
    return names.sorted().map { folder + "/" + $0 }
}

/// All bytes of a file that a user named.
func contents(of path: String) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(inputFile: path, errno: errno) }
    defer { close(descriptor) }
    return try contents(of: descriptor, path)
}

/// All bytes that an open file still has; `path` names it in messages.
func contents(of descriptor: Int32, _ path: String) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            bytes.append(contentsOf: buffer[..<count])
        } else if count == 0 {
            return bytes
        } else if errno != EINTR {
            throw Failure(inputFile: path, errno: errno)
        }
    }
}
