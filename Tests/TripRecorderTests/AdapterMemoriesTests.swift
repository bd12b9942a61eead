import Adapters
import Glibc
import OBDCore
import ScanSession
import SystemIO
import Testing
import TripStore

@testable import TripRecorder

@Suite struct `The memory of an adapter` {
    private let folder: String
    private var database: String { folder + "/trips.db" }
    private var used: UsedAdapters { UsedAdapters(in: folder) }

    init() throws {
        var template = Array("/tmp/obdscan-memory-XXXXXX".utf8CString)
        folder = String(cString: try #require(mkdtemp(&template)))
    }

    private func clean() {
        for name in Files.names(in: folder) { unlink(folder + "/" + name) }
        rmdir(folder)
    }

    private func memory(_ banner: String?, rate: Int? = nil) -> AdapterMemory {
        AdapterMemory(
            lineRate: rate, identity: banner.map { AdapterIdentity(banner: $0) },
            vehicleProtocol: .can11At500)
    }

    @Test func `an adapter is known in the next session`() throws {
        defer { clean() }
        let first = AdapterMemories(database, key: "serial:a", used: used)
        #expect(first.known == nil)
        first.save(memory("ELM327 v1.5", rate: 38_400))
        let known = try #require(AdapterMemories(database, key: "serial:a", used: used).known)
        #expect(known.identity?.banner == "ELM327 v1.5" && known.lineRate == 38_400)
        #expect(known.vehicleProtocol == .can11At500)
        #expect(AdapterMemories(database, key: "serial:b", used: used).known == nil)
        #expect(AdapterMemories.all(database).map(\.address) == ["serial:a"])
    }

    @Test func `an adapter is not stored without a key, an identity or a database`() {
        defer { clean() }
        AdapterMemories(database, key: nil, used: used).save(memory("ELM327 v1.5"))
        AdapterMemories(database, key: "serial:a", used: used).save(memory(nil))
        AdapterMemories(nil, key: "serial:a", used: used).save(memory("ELM327 v1.5"))
        #expect(!Files.exists(database) && AdapterMemories.all(database).isEmpty)
        #expect(AdapterMemories.all(nil).isEmpty)
    }

    /// Half an hour later nothing is written, and two hours later the time.
    @Test(arguments: [(1_800, false), (7_200, true)])
    func `an adapter is stored again after an hour or after a change`(
        seconds: Int64, isWritten: Bool
    ) throws {
        defer { clean() }
        let start = UTC(microseconds: 1_700_000_000_000_000)
        AdapterMemories(database, key: "serial:a", used: used).save(
            memory("ELM327 v1.5"), now: start)
        let later = UTC(microseconds: start.microseconds + seconds * 1_000_000)
        AdapterMemories(database, key: "serial:a", used: used).save(
            memory("ELM327 v1.5"), now: later)
        #expect(AdapterMemories.all(database).map(\.lastSeen) == [isWritten ? later : start])
        AdapterMemories(database, key: "serial:a", used: used).save(
            memory("ELM327 v2.1"), now: later)
        #expect(AdapterMemories.all(database).map(\.name) == ["ELM327 v2.1"])
    }

    /// A merged database brings its adapters along, but they were not used on this machine.
    @Test func `this machine's list has only adapters that answered on this machine`() throws {
        defer { clean() }
        let store = try TripStore(path: database, access: .readWrite)
        try store.remember(
            RememberedAccessory(address: "tcp:elsewhere:35000"), seen: SystemClock.utc)
        AdapterMemories(database, key: "serial:a", used: used).save(memory(nil))
        #expect(!used.contains("serial:a"))
        for _ in 0..<2 {
            AdapterMemories(database, key: "serial:a", used: used).save(memory("ELM327 v1.5"))
        }
        used.note("tcp:one\ntcp:elsewhere:35000")
        #expect(used.contains("serial:a") && !used.contains("serial:"))
        #expect(!used.contains("tcp:elsewhere:35000"))
        #expect(Files.text(folder + "/adapters") == "serial:a\n")
        #expect(!UsedAdapters(in: nil).contains("serial:a"))
    }
}
