import Diagnostics
import OBDCore
import Testing

@testable import VehicleScan

@Suite struct `A clearing that no ECU confirmed` {
    private static let engine = ECUAddress(0x7E8, .can11)
    private static let gearbox = ECUAddress(0x7E9, .can11)

    /// The result claims no more than was read: an ECU that does not answer again may have cleared
    /// its codes.
    @Test(
        arguments: [
            (["P0301"], ["P0301"], [engine], .none), (["P0301"], ["P0301"], [], .none),
            (["P0301"], [], [engine], .gone), (["P0301"], [], [], .unknown),
            (["P0301"], [], [gearbox], .unknown), ([], [], [engine], .unknown),
            (["P0301", "P0420"], ["P0420"], [engine], .some),
        ] as [([String], [String], [ECUAddress], CodeClearing.Change)])
    func `clearing is proven only by the codes that are read afterwards`(
        before: [String], after: [String], answered: [ECUAddress], change: CodeClearing.Change
    ) throws {
        func codes(_ names: [String]) throws -> [CodeReport.Code] {
            try names.map { .dtc(try #require(DTC($0))) }
        }
        let found = CodeClearing.change(
            try codes(before).map { (ecu: Self.engine, code: $0) }, after: try codes(after),
            answered: answered)
        #expect(found == change)
    }
}
