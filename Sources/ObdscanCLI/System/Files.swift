import SystemIO

/// The paths of a folder's files with this suffix, sorted by name; 10,000 would be a mistake.
func files(in folder: String, ending: String) throws(Failure) -> [String] {
    do throws(SystemError) {
        return try Files.entries(of: folder, limit: 10_000)
            .filter { $0.hasSuffix(ending) }.map { folder + "/" + $0 }
    } catch {
        throw Failure(inputFile: folder, errno: error.errno)
    }
}

/// All bytes of a file from the command line.
func contents(of path: String) throws(Failure) -> [UInt8] {
    do throws(SystemError) {
        return try Files.bytes(of: path)
    } catch {
        throw Failure(inputFile: path, errno: error.errno)
    }
}

/// The remaining bytes of an open file; messages call it `path`.
func contents(of descriptor: Int32, _ path: String) throws(Failure) -> [UInt8] {
    do throws(SystemError) {
        return try Files.bytes(of: descriptor)
    } catch {
        throw Failure(inputFile: path, errno: error.errno)
    }
}
