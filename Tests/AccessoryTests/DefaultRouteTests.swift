import Testing

@testable import Accessory

/// `/proc/net/route` in the kernel's format: addresses in network order, read as little endian.
@Suite struct `The default route` {
    private static let heading =
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
    /// 192.168.0.10.
    private static let adapter: UInt32 = 0x0A00_A8C0

    @Test func `a route through the adapter's own network is recognised`() {
        let table =
            Self.heading + "wlan0\t00000000\t0100A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
            + "wlan0\t0000A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0\n"
        #expect(DefaultRoute.interface(throughNetworkOf: Self.adapter, in: table) == "wlan0")
    }

    @Test func `a route through another network is not the adapter's`() {
        let table =
            Self.heading + "eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
            + "eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n"
            + "wlan0\t0000A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0\n"
        #expect(DefaultRoute.interface(throughNetworkOf: Self.adapter, in: table) == nil)
        #expect(DefaultRoute.interface(throughNetworkOf: Self.adapter, in: "") == nil)
        #expect(DefaultRoute.interface(throughNetworkOf: Self.adapter, in: "a\nb c d\n") == nil)
    }
}
