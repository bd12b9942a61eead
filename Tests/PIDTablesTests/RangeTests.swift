import Diagnostics
import OBDCore
import PIDTables
import Testing

// A row has the smallest value, the largest value, and the signals of service 01 with this range.
// The values are from public tables of SAE J1979, which print the largest ones with four to six
// digits.
private let limits = """
    0 127 01:DTC_CNT
    0 100 04:LOAD_PCT 11:TP 2C:EGR_PCT 2E:EVAP_PCT 2F:FLI 45:TP_R 47:TP_B 48:TP_C 49:APP_D \
    4A:APP_E 4B:APP_F 4C:TAC_PCT 52:ALCH_PCT 5A:APP_R 5B:BAT_PWR 69:EGR_A_CMD 69:EGR_A_ACT \
    69:EGR_B_CMD 69:EGR_B_ACT 6A:IAF_A_CMD 6A:IAF_A_REL 6A:IAF_B_CMD 6A:IAF_B_REL \
    6C:TAC_A_CMD 6C:TP_A_REL 6C:TAC_B_CMD 6C:TP_B_REL 71:VGT_A_CMD 71:VGT_A_ACT 71:VGT_B_CMD \
    71:VGT_B_ACT 72:WG_A_CMD 72:WG_A_ACT 72:WG_B_CMD 72:WG_B_ACT 85:REAG_LVL \
    8B:DPF_REGEN_PCT 8C:O2S11_PCT 8C:O2S12_PCT 8C:O2S21_PCT 8C:O2S22_PCT 8D:TP_G 9B:DEF_LVL \
    9C:O2S13_PCT 9C:O2S14_PCT 9C:O2S23_PCT 9C:O2S24_PCT 9F:FUELSYSA_B1 9F:FUELSYSB_B1 \
    9F:FUELSYSA_B2 9F:FUELSYSB_B2 9F:FUELSYSA_B3 9F:FUELSYSB_B3 9F:FUELSYSA_B4 \
    9F:FUELSYSB_B4 B2:BAT_SOH D2:SOCE D2:SOCR
    -40 215 05:ECT 0F:IAT 46:AAT 5C:EOT 67:ECT1 67:ECT2 68:IAT11 68:IAT12 68:IAT13 68:IAT21 \
    68:IAT22 68:IAT23 6B:EGRT11 6B:EGRT12 6B:EGRT21 6B:EGRT22 6D:FRT_A 6D:FRT_B 75:TCA_CINT \
    75:TCA_COUTT 76:TCB_CINT 76:TCB_COUTT 77:CACT11 77:CACT12 77:CACT21 77:CACT22 84:MST \
    9B:DEF_T
    -100 99.21875 06:SHRTFT1 06:SHRTFT3 07:LONGFT1 07:LONGFT3 08:SHRTFT2 08:SHRTFT4 \
    09:LONGFT2 09:LONGFT4 2D:EGR_ERR 55:STSO2FT1 55:STSO2FT3 56:LGSO2FT1 56:LGSO2FT3 \
    57:STSO2FT2 57:STSO2FT4 58:LGSO2FT2 58:LGSO2FT4 69:EGR_A_ERR 69:EGR_B_ERR
    0 765 0A:FRP_GAUGE
    0 255 0B:MAP 0D:VSS 30:WARM_UPS 33:BARO 4F:MAX_LAMBDA 4F:MAX_O2V 4F:MAX_O2I 6F:TCA_CINP \
    6F:TCB_CINP AA:V_SET
    0 16383.75 0C:RPM
    -64 63.5 0E:SPARKADV
    0 655.35 10:MAF 73:EP1 73:EP2 7A:DPF1_INP 7A:DPF1_OUTP 7B:DPF2_INP 7B:DPF2_OUTP
    0 1.275 14:O2S11 15:O2S12 16:O2S13 17:O2S14 18:O2S21 19:O2S22 1A:O2S23 1B:O2S24
    0 65535 1F:RUNTM 21:MIL_DIST 31:CLR_DIST 4D:MIL_TIME 4E:CLR_TIME 63:TQ_REF 83:NOX11 \
    83:NOX12 83:NOX21 83:NOX22 88:SCR_DIST_1N 88:SCR_DIST_1D 88:SCR_DIST_2N 88:SCR_DIST_3N \
    88:SCR_DIST_4N 8B:DPF_REGEN_AVGT 8B:DPF_REGEN_AVGD 90:VOBD_MI_TIME 91:OBD_MI_TIME \
    91:OBD_B1_TIME 93:MI_TIME_CUM C6:PCI_RMV C6:PCI_LRI C6:PCI_MON C7:REFLASH_DIST
    0 5177.265 22:FRP_REL
    0 655350 23:FRP_DI 59:FRP 6D:FRP_A_CMD 6D:FRP_A 6D:FRP_B_CMD 6D:FRP_B 6E:ICP_A_CMD \
    6E:ICP_A 6E:ICP_B_CMD 6E:ICP_B 74:TCA_RPM 74:TCB_RPM
    0 1.99997 24:LAMBDA11_V 25:LAMBDA12_V 26:LAMBDA13_V 27:LAMBDA14_V 28:LAMBDA21_V \
    29:LAMBDA22_V 2A:LAMBDA23_V 2B:LAMBDA24_V 34:LAMBDA11_I 35:LAMBDA12_I 36:LAMBDA13_I \
    37:LAMBDA14_I 38:LAMBDA21_I 39:LAMBDA22_I 3A:LAMBDA23_I 3B:LAMBDA24_I 44:LAMBDA
    0 7.99988 24:O2S11_WRV 25:O2S12_WRV 26:O2S13_WRV 27:O2S14_WRV 28:O2S21_WRV 29:O2S22_WRV \
    2A:O2S23_WRV 2B:O2S24_WRV
    -8192 8191.75 32:EVAP_VP A3:EVAP_A_VP A3:EVAP_B_VP
    -128 127.9961 34:O2S11_WRI 35:O2S12_WRI 36:O2S13_WRI 37:O2S14_WRI 38:O2S21_WRI \
    39:O2S22_WRI 3A:O2S23_WRI 3B:O2S24_WRI
    -40 6513.5 3C:CATEMP11 3D:CATEMP21 3E:CATEMP12 3F:CATEMP22 75:TCA_TINT 75:TCA_TOUTT \
    76:TCB_TINT 76:TCB_TOUTT 78:EGT11 78:EGT12 78:EGT13 78:EGT14 79:EGT21 79:EGT22 79:EGT23 \
    79:EGT24 7C:DPF1_INT 7C:DPF1_OUTT 7C:DPF2_INT 7C:DPF2_OUTT 98:EGT15 98:EGT16 98:EGT17 \
    98:EGT18 99:EGT25 99:EGT26 99:EGT27 99:EGT28
    0 65.535 42:VPWR A4:GEAR_RAT
    0 25700 43:LOAD_ABS
    0 2550 4F:MAX_MAP 50:MAX_MAF
    0 327.675 53:EVAP_VPA 85:REAG_RATE 85:REAG_DEMD
    -32768 32767 54:EVAP_VP2
    -210 301.9922 5D:FUEL_TIMING
    0 3276.75 5E:FUEL_RATE
    -125 130 61:TQ_DD 62:TQ_ACT 64:TQ_MAX1 64:TQ_MAX2 64:TQ_MAX3 64:TQ_MAX4 64:TQ_MAX5 \
    8E:TQ_FR
    0 15 A4:GEAR_ACT
    0 2047.969 66:MAFA 66:MAFB 70:BP_A_CMD 70:BP_A_ACT 70:BP_B_CMD 70:BP_B_ACT 87:MAP_A \
    87:MAP_B A2:CYL_RATE
    -40 980 6B:EGRT11_W 6B:EGRT12_W 6B:EGRT21_W 6B:EGRT22_W
    0 2040 6F:TCA_CINP_W 6F:TCB_CINP_W
    -327.68 327.67 7A:DPF1_DP 7B:DPF2_DP 8F:PM11_PCT 8F:PM21_PCT
    0 4294967295 85:NWI_TIME
    0 819.1875 86:PM11 86:PM21
    0 8 8C:LAMBDA11 8C:LAMBDA12 8C:LAMBDA21 8C:LAMBDA22 9C:LAMBDA13 9C:LAMBDA14 9C:LAMBDA23 \
    9C:LAMBDA24
    0 1023.984 9A:HEV_BATT_V
    -3276.8 3276.7 9A:HEV_BATT_A
    0 63.75 9B:DEF_CON
    0 1310.7 9D:ENG_FUEL_RATE 9D:VEH_FUEL_RATE
    0 13107 9E:EXH_RATE
    -65536 65534 A3:EVAP_A_VP_W A3:EVAP_B_VP_W
    0 127.5 A5:DEF_CMD
    0 32.7675 A5:DEF_UCDC
    0 429496729.5 A6:ODO D3:ODO_ENG
    """

@Suite struct RangeTests {
    @Test func `The calculated ranges of signals are those of the standard`()
        throws
    {
        let table = try PIDTables.standard()
        var count = 0
        for line in limits.split(separator: "\n") {
            let words = line.split(separator: " ")
            let low = try #require(Double(words[0]))
            let high = try #require(Double(words[1]))
            for name in words.dropFirst(2) {
                let parts = name.split(separator: ":")
                let pid = try #require(UInt32(parts[0], radix: 16))
                let record = try #require(table.record(DataID(.currentData, pid)))
                let place = try #require(
                    record.signals.first {
                        table[SignalIndex(rawValue: $0)].id == String(parts[1])
                    }, "\(name)")
                let range = try #require(table[SignalIndex(rawValue: place)].valueRange)
                #expect(abs(range.lowerBound - low) <= abs(low) * 1e-5, "\(name) \(range)")
                #expect(abs(range.upperBound - high) <= abs(high) * 1e-5, "\(name) \(range)")
                count += 1
            }
        }
        #expect(count == 298)
    }

    @Test func `Patterns without a value are not part of the range`() {
        func range(_ none: [Signal.NotAvailable], signed: Bool = false) -> ClosedRange<Double>? {
            Signal(
                id: "X", name: "", bitOffset: 0, bitLength: 8, kind: .number, isSigned: signed,
                notAvailable: none
            ).valueRange
        }
        #expect(range([]) == 0...255)
        #expect(range([.init(pattern: 0xFF)]) == 0...254)
        #expect(
            range([.init(pattern: 0xFB, through: 0xFD), .init(pattern: 0xFE, through: 0xFF)])
                == 0...250)
        #expect(range([.init(pattern: 0)]) == 1...255)
        #expect(range([.init(pattern: 0x80)], signed: true) == -127...127)
        #expect(range([.init(pattern: 0x7F)], signed: true) == -128...126)
        #expect(range([.init(pattern: 0, through: 0xFF)]) == nil)
    }

    @Test func `A negative factor turns the range around`() {
        let signal = Signal(
            id: "X", name: "", bitOffset: 0, bitLength: 8, kind: .number, multiplier: -1, divisor: 2
        )
        #expect(signal.valueRange == -127.5...0)
    }
}
