import Testing
import VehicleLink

@Suite struct `Check bytes` {
    @Test func `the CRC of J1850 has the published check value`() {
        // The catalogue of parametrised CRC algorithms gives 4B for CRC-8/SAE-J1850.
        #expect(Checksum.crc8("123456789".utf8) == 0x4B)
    }

    @Test(
        arguments: [
            // Functional requests of ISO 9141-2 and ISO 14230-4, calculated by hand.
            ([0x68, 0x6A, 0xF1, 0x01, 0x00], 0xC4),
            ([0xC2, 0x33, 0xF1, 0x01, 0x0D], 0xF4),
            ([0x48, 0x6B, 0x10, 0x41, 0x05, 0x7B], 0x84),
        ] as [([UInt8], UInt8)])
    func `the K-line checksum is the sum of all bytes`(bytes: [UInt8], sum: UInt8) {
        #expect(Checksum.sum(bytes) == sum)
    }
}
