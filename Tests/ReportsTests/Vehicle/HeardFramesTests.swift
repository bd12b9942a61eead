import OBDCore
import Testing

@testable import Reports

/// Frames of a bus that do not come, or for which no table has a value.
@Suite struct `Frames without a table` {
    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    @Test func `after five seconds without a value the missing table is reported once`() {
        let frames = HeardFrames()
        // A silent bus lacks no table.
        #expect(frames.news(at: at(60)) == nil)
        for second in 100..<106 {
            frames.count(ECUAddress(0x1E5, .can11), at: at(Int64(second)))
            frames.count(ECUAddress(0x0C9, .can11), at: at(Int64(second)))
        }
        #expect(frames.news(at: at(104)) == nil)
        #expect(
            frames.news(at: at(105))
                == "12 frames with 2 identifiers (0C9, 1E5) were heard, and no table has a value of them: "
                + "name a table with --table FILE, such as a DBC file of the vehicle; "
                + "\"obdscan monitor\" shows the frames")
        #expect(frames.news(at: at(200)) == nil)
    }

    @Test func `a table that decodes any frame of the bus counts as suitable`() {
        let frames = HeardFrames()
        for id in 0..<9 { frames.count(ECUAddress(0x100 + UInt32(id), .can11), at: at(0)) }
        frames.findValue()
        #expect(frames.news(at: at(60)) == nil)
    }

    @Test func `at the end the missing table is reported at once, and only once`() {
        let frames = HeardFrames()
        #expect(frames.lastNews() == nil)
        frames.count(ECUAddress(0x1A0, .can11), at: at(0))
        #expect(frames.lastNews()?.contains("1 frame with 1 identifier (1A0)") == true)
        #expect(frames.lastNews() == nil)
    }

    @Test func `a bus without any frame is reported after ten seconds, or at the end`() {
        let frames = HeardFrames()
        #expect(frames.news(at: at(100)) == nil)
        #expect(frames.news(at: at(109)) == nil)
        #expect(frames.news(at: at(110))?.hasPrefix("No frame was heard.") == true)
        #expect(frames.news(at: at(200)) == nil && frames.lastNews() == nil)
        let short = HeardFrames()
        #expect(short.news(at: at(100)) == nil)
        #expect(short.lastNews()?.hasPrefix("No frame was heard.") == true)
    }

    @Test func `expected frames that never arrive are listed`() {
        let frames = HeardFrames(
            expecting: [ECUAddress(0x1E5, .can11), ECUAddress(0x18FF_5021, .can29)])
        #expect(frames.news(at: at(100)) == nil)
        #expect(
            frames.news(at: at(110))?.hasPrefix(
                "No frame with 2 identifiers (1E5, 18FF5021) was heard. Is the table for this vehicle"
            )
                == true)
    }

    @Test func `a message about many identifiers lists the first identifiers`() {
        let frames = HeardFrames()
        for id in 0..<9 { frames.count(ECUAddress(0x100 + UInt32(id), .can11), at: at(0)) }
        #expect(frames.news(at: at(9))?.contains("9 identifiers (100, 101, 102, 103 …)") == true)
    }

    @Test func `expected parameter groups that never arrive are listed`() {
        let frames = HeardFrames(groups: [0xFF21, 0xFF20])
        #expect(frames.news(at: at(100)) == nil)
        #expect(
            frames.news(at: at(110))?.hasPrefix(
                "No message of 2 parameter groups (FF20, FF21) was heard. Is the table for this")
                == true)
    }
}
