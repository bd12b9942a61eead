import Glibc

/// What to do about a file that cannot be read or made, by the system's error number.
public enum FileRemedy {
    /// About a file that was to be read.
    public static func reading(_ path: String, errno number: Int32) -> String {
        switch number {
        case ENOENT where path.hasPrefix("/"): "is the path spelt right?"
        case ENOENT: "is it spelt right, and in this folder?"
        case ENOTDIR: "a part of the path is a file, no folder"
        case EACCES, EPERM: "ls -l \(path) shows who may read it"
        case EISDIR: "it is a folder: name a file in it"
        case EIO: "the disk or stick may be damaged: does it read elsewhere?"
        default: "try a copy of it"
        }
    }

    /// About a file that was to be made or written.
    public static func writing(_ path: String, errno number: Int32) -> String {
        let folder = folder(of: path)
        return switch number {
        case ENOSPC, EDQUOT: "make room on the disk"
        case ENOENT: "its folder is not there: mkdir -p \(folder)"
        case ENOTDIR: "a part of the path is a file, no folder: name another place"
        case EACCES, EPERM: "name a place that you may write to; ls -ld \(folder) shows who may"
        case EISDIR: "it is a folder: name a file in it"
        case EROFS: "that disk may be read only: name another place"
        case EEXIST: "name a file that is not there yet"
        default: "name another place"
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
