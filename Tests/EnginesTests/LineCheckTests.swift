import OBDCore
import SystemIO
import Testing

@testable import Engines

@Suite struct LineCheckTests {
    private func count(_ found: Int) -> LineCheck.Count {
        LineCheck.Count(vehicle: "van", delivered: 3, found: found)
    }

    @Test("A server that shows points later is asked again until it holds all, and not longer")
    func laterPoints() throws {
        var answers = [0, 2, 3, 3]
        let result = LineCheck.settled(
            until: SystemClock.now() + .seconds(60), pause: .milliseconds(1)
        ) { .success([count(answers.removeFirst())]) }
        #expect(result == .success([count(3)]))
        #expect(answers == [3])
    }

    @Test("A server that lacks points is judged at the limit, and one that gives no count at once")
    func missingPoints() throws {
        let limit = SystemClock.now() + .milliseconds(20)
        var looks = 0
        let result = LineCheck.settled(until: limit, pause: .milliseconds(1)) {
            looks += 1
            return .success([count(2)])
        }
        #expect(result == .success([count(2)]))
        #expect(looks > 1 && SystemClock.now() >= limit)
        let problem = LineCheck.Problem(words: "HTTP 500", isUnknown: false)
        #expect(
            LineCheck.settled(until: SystemClock.now() + .seconds(60)) { .failure(problem) }
                == .failure(problem))
    }
}
