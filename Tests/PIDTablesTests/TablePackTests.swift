import Diagnostics
import OBDCore
import PIDTables
import Testing

/// Tables for single makes and models.
@Suite struct TablePackTests {
    @Test func `each pack is correct, and each of its rows has two sources`() {
        let packs = PIDTables.packs()
        #expect(packs.count >= 5)
        for pack in packs {
            let findings = PIDTables.lint([pack.file])
            #expect(findings.isEmpty, "\(findings)")
        }
    }

    @Test func `each record has its address, its source and a recorded answer`()
        throws
    {
        for pack in PIDTables.packs() {
            #expect(pack.title != pack.name)
            for record in try PIDTables.records(of: pack) {
                let place: Comment = "\(pack.name) \(record.dataID)"
                #expect(record.target != nil, place)
                #expect(record.responder != nil, place)
                #expect(
                    !record.sources.isEmpty || record.unverified.count == record.signals.count,
                    place)
                #expect(record.examples.contains { $0.source.hasPrefix("recorded") }, place)
            }
        }
    }

    @Test func `the records of a pack are unknown unless the user names the pack`() throws {
        let table = try PIDTables.standard()
        let pack = try #require(PIDTables.packs().first { $0.name == "nissan-leaf" })
        let id = DataID(.readLocalData, 0x01)
        #expect(table.record(id, from: ECUAddress(0x7BB, .can11)) == nil)
        let with = try PIDTables.load([pack.file])
        #expect(with.record(id, from: ECUAddress(0x7BB, .can11))?.target?.value == 0x79B)
        // The answer of a different ECU to the same request is not the battery's.
        #expect(with.record(id, from: ECUAddress(0x7E8, .can11)) == nil)
    }

    @Test func `lines before the first record apply to all records without their own line`()
        throws
    {
        let text = """
            title : Cars of one maker
            header 7E4
            reply 7EC
            vehicle WVW?ZZ* 1N4AZ0CP0DC400001
            source : a manual
            record 22:0001 1 : One
              signal ONE A : One
            record 22:0002 1 : Two
              header 7A0
              reply 7A8
              vehicle WAU*
              source : another manual
              signal TWO A : Two
            """
        let file = TableFile(path: "f", contents: Array(text.utf8))
        let records = try PIDTables.records([file]).suffix(2)
        #expect(records.map(\.target?.value) == [0x7E4, 0x7A0])
        #expect(records.map(\.responder?.value) == [0x7EC, 0x7A8])
        #expect(
            records.map { $0.vehicles.map(\.text) } == [
                ["WVW?ZZ*", "1N4AZ0CP0DC400001"], ["WAU*"],
            ])
        #expect(records.map(\.sources) == [["a manual"], ["a manual", "another manual"]])
        let table = try PIDTables.load([file])
        let record = try #require(table.record(DataID(.readData, 2)))
        #expect(record.vehicles.map(\.text) == ["WAU*"])
    }
}
