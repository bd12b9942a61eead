import Testing

@testable import Reports

@Suite struct `The check of the ECUs by doctor` {
    @Test func `a vehicle whose ECUs list no PIDs gets advice`() {
        let check = VehicleCheckup.check(ecus: [], isAnswered: false)
        #expect(check.found == "no ECU lists its PIDs" && check.fix != nil)
    }

    @Test func `ECUs have their addresses, or none without headers`() {
        let named = VehicleCheckup.check(ecus: ["7E8", "7E9"], isAnswered: true)
        #expect(named.found == "7E8, 7E9" && named.fix == nil)
        let other = VehicleCheckup.check(ecus: [], isAnswered: true)
        #expect(other.found == "answer without an address" && other.fix == nil)
    }
}
