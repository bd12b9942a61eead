import Glibc
public import OBDCore
import SystemIO

extension StoreError: Explained {
    /// `: it belongs to anna`; empty if the file is the user's own or its owner is not known.
    private static func ownerText(of path: String) -> String {
        Files.otherOwner(of: path).map { ": it belongs to \($0)" } ?? ""
    }

    /// A database that cannot be used.
    public var explanation: Explanation {
        let message: String
        var hint: String?
        let category: Explanation.Category
        switch self {
        case .missing(let path):
            message = "\(path): there is no database"
            hint = "\"obdscan log\" records a trip; --db FILE names another database"
            category = .noInput
        case .empty(let path):
            message = "\(path): the database is empty: its creation was not completed"
            hint = "\"obdscan log\" records a trip and creates a new one"
            category = .noInput
        case .foreign(let path):
            message = "\(path) is not an obdscan database"
            hint = "--db FILE names another one"
            category = .badInput
        case .newer(let path, let version, let known):
            message =
                "\(path) was made by a newer obdscan: version \(version), this program knows \(known)"
            hint = "update obdscan, or use another database with --db FILE"
            category = .badInput
        case .older(let path, let version):
            message = "\(path) has the older version \(version) and may not be written to"
            hint =
                access(path, W_OK) != 0 && errno == EROFS
                ? "\"obdscan db merge \(path)\" takes its trips into your database"
                : "make it writable once, so that it can be brought up to date: chmod u+w \(path)"
            category = .noPermission
        case .cannotCreate(let path, let number):
            message = "\(path): \(SystemError.text(of: number))"
            hint = "--db FILE names another place"
            category = .cannotCreate
        case .permission(let path):
            message = "\(path): permission denied" + Self.ownerText(of: path)
            hint = "--db FILE names another database"
            category = .noPermission
        case .readOnly(let path):
            let owner = Self.ownerText(of: path)
            message = "\(path) may only be read" + owner
            hint =
                owner.isEmpty
                ? "chmod u+w \(path) allows changes; --db FILE names another database"
                : "\"obdscan db merge \(path) --db OWN.db\" takes its trips into a database of your own"
            category = .noPermission
        case .readOnlyDisk(let path):
            message = "\(path) is on a file system that is mounted read-only"
            hint =
                "its trips can be read; to store anything, name another database with --db FILE, or "
                + "copy this one"
            category = .noPermission
        case .full(let path):
            message = "\(path): the disk is full"
            hint = "make room, or record elsewhere with --db FILE"
            category = .cannotCreate
        case .locked(let path):
            message = "\(path) is locked by another program"
            hint = "end it, then try again"
            category = .timedOut
        case .damaged(let path, let words):
            message = "\(path) is damaged: \(words)"
            hint = "\"obdscan db recover --to NEW.db\" saves what is left"
            category = .badInput
        case .unknownTrip(let number, _):
            message = "there is no trip \(TripSummary.text(ofNumber: number))"
            hint = "\"obdscan trips\" lists them"
            category = .usage
        case .tripIsOpen(let number, _):
            message = "trip \(number) is still being recorded"
            hint = "end its recording first: Ctrl-C where \"obdscan log\" runs"
            category = .timedOut
        case .kept(let entries, let lost, let reason):
            let inner = reason.explanation
            message =
                "\(counted(entries, "entry waits", "entries wait")) in memory until this machine restarts"
                + (lost > 0
                    ? ", and \(counted(lost, "entry was", "entries were")) lost: " : ": ")
                + inner.message
            hint =
                "the next obdscan that can write the database stores what waits"
                + (inner.hint.map { "; " + $0 } ?? "")
            category = inner.category
        case .lost(let entries, let reason):
            let inner = reason.explanation
            message = "\(entries) entries could not be stored: \(inner.message)"
            hint = inner.hint
            category = inner.category
        case .removed(let path, let reason):
            let inner = reason.explanation
            message =
                "\(path) was removed while it was written to, and what it held cannot be saved: "
                + inner.message
            hint = inner.hint
            category = inner.category
        case .other(let path, let number, let words):
            message = "\(path): \(words) (SQLite \(number))"
            hint = "\"obdscan db check\" looks for damage; --db FILE names another database"
            category = .badInput
        }
        return Explanation(message, hint: hint, category)
    }
}
