import ArgumentParser
import Settings
import SystemIO
import TripStore

/// The database of trips and known devices.
struct DatabaseOptions: ParsableArguments {
    @Option(
        name: .customLong("db"),
        help: ArgumentHelp(
            "Use this database.",
            discussion:
                "Default: the environment variable OBDSCAN_DB, then `database` of the configuration "
                + "file, then $XDG_DATA_HOME/obdscan/obdscan.db.",
            valueName: "file", visibility: .hidden),
        completion: .file())
    var path: String?

    init() {}

    /// The database at `path`; nil = the path of the environment or the configuration.
    init(path: String?) {
        self.path = path
    }

    /// Whether the user named a database.
    var isNamed: Bool { path != nil || setting("OBDSCAN_DB") != nil }

    /// The database's file; nil without a home directory.
    var file: String? {
        if let path { return path }
        if let path = setting("OBDSCAN_DB") { return path }
        if let path = UserSettings.current.database {
            guard path.hasPrefix("~/") else { return path }
            return environment("HOME").map { $0 + path.dropFirst() }
        }
        return dataFolder().map { $0 + "/obdscan.db" }
    }

    /// Opens the database; with write access, a missing file is created.
    ///
    /// `filledBy` is the hint for a missing database; nil = record a trip.
    func open(
        _ access: TripStore.Access, limits: TripStore.Limits = .init(), filledBy: String? = nil
    ) throws(Failure) -> TripStore {
        guard let file else {
            throw Failure(
                "there is no home directory to keep the database in",
                hint: "--db FILE says where it is", status: .cannotCreate)
        }
        do throws(StoreError) {
            do throws(StoreError) {
                let store = try TripStore(
                    path: file, access: access, limits: limits, clock: SystemClock.reading)
                store.takeWaitingCopies()
                return store
            } catch .older(let path, let version) {
                // Try to migrate the database; without write access, report that it is too old.
                do throws(StoreError) {
                    _ = try TripStore(path: file, access: .readWrite)
                } catch .readOnlyDisk {
                    throw .older(path: path, version: version)
                }
                return try TripStore(
                    path: file, access: access, limits: limits, clock: SystemClock.reading)
            }
        } catch {
            var failure = Failure(error)
            switch error {
            case .missing, .empty:
                if let filledBy { failure.hint = filledBy + "; --db FILE names another database" }
            default: break
            }
            throw failure
        }
    }
}

extension TripStore {
    /// Corrects trips that were recorded while the clock was not set, as far as the right time is known.
    ///
    /// - Parameter tell: receives a sentence for the user.
    func settleClocks(_ tell: (String) -> Void) throws(StoreError) {
        let reading = SystemClock.reading()
        guard try mayBeWrong(by: reading) else { return }
        for correction in try settleClocks(by: reading) where correction.isNoticeable {
            tell(
                "Trip \(TripSummary.text(ofNumber: correction.trip)) was recorded while the clock was "
                    + "not set: its times moved by \(correction.stepText).")
        }
    }
}
