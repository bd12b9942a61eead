import OBDCore
import ScanTool
import TestSupport
import Testing

@Suite struct `The gap between two exchanges` {
    private func account(_ body: (inout ExchangeGap, inout TimeAccount) -> Void) -> [Duration] {
        var gap = ExchangeGap()
        var account = TimeAccount()
        gap.begin(at: at(10), isFree: false)
        body(&gap, &account)
        let parts = account.parts
        return [parts.own, parts.idle, parts.rests, parts.lost]
    }

    private func seconds(_ numbers: Int...) -> [Duration] { numbers.map { .seconds($0) } }

    @Test func `the gap between two exchanges counts as the program's time`() {
        let parts = account { gap, account in gap.close(at: at(13), into: &account) }
        #expect(parts == seconds(3, 0, 0, 0))
    }

    @Test
    func `a gap counts as idle without due records, and as rest with only resting records`() {
        let parts = account { gap, account in
            gap.wait(at: at(11), rests: false)
            gap.wait(at: at(13), rests: true)
            gap.wait(at: at(14), rests: true)
            gap.close(at: at(20), into: &account)
        }
        #expect(parts == seconds(1, 2, 7, 0))
    }

    @Test func `the gap counts as lost if the link could not be used`() {
        let parts = account { gap, account in
            gap.wait(at: at(11), rests: true)
            gap.noteOutage()
            gap.close(at: at(20), into: &account)
        }
        #expect(parts == seconds(0, 0, 0, 10))
    }

    @Test func `the gap before a refused request counts once`() {
        let parts = account { gap, account in
            gap.close(at: at(12), into: &account)
            gap.close(at: at(13), into: &account)
            gap.finish(at: at(14), into: &account)
            gap.finish(at: at(90), into: &account)
        }
        #expect(parts == seconds(4, 0, 0, 0))
    }

    @Test func `the gap begins again if nothing was polled before`() {
        let parts = account { gap, account in
            gap.noteOutage()
            gap.restart(at: at(50))
            gap.close(at: at(51), into: &account)
        }
        #expect(parts == seconds(1, 0, 0, 0))
    }
}
