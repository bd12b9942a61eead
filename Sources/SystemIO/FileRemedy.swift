import Glibc

/// The remedy for a file that cannot be read or written, by the system's error number.
public enum FileRemedy {
    /// For a file to be read.
    public static func reading(_ path: String, errno number: Int32) -> String {
        switch number {
        case ENOENT where path.hasPrefix("/"): "is the path spelt right?"
        case ENOENT: "is it spelt right, and in this folder?"
        case ENOTDIR: "a part of the path is a file, not a folder"
        case EACCES, EPERM: "ls -l \(path) shows who may read it"
        case EISDIR: "it is a folder: name a file in it"
        case EFBIG: "no file of this kind has that many bytes: is it the right one?"
        case EIO: "the disk may be damaged: try it on another machine"
        default: "try a copy of it"
        }
    }

    /// For a file to be created or written.
    public static func writing(_ path: String, errno number: Int32) -> String {
        let folder = folder(of: path)
        return switch number {
        case ENOSPC, EDQUOT: "make room on the disk"
        case ENOENT: "its folder does not exist: mkdir -p \(folder)"
        case ENOTDIR: "a part of the path is a file, not a folder: choose another path"
        case EACCES, EPERM: "choose a folder that you may write to; ls -ld \(folder) shows who may"
        case EISDIR: "it is a folder: name a file in it"
        case EROFS: "the disk may be read-only: choose another path"
        case EEXIST: "choose a file that does not exist yet"
        default: "name another place"
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
