//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// x is in V0 and the four rows in V1 to V4, their sums in V16 to V19. Elements
// that do not fill a register are taken one at a time, the other lanes zero,
// where every term is zero too.

#define SQUARED64(y, sum) FSUBD2(20, 0, y); FMLAD2(sum, 20, 20)
#define ABSOLUTE64(y, sum) FABDD2(20, 0, y); FADDD2(sum, sum, 20)
#define ABSOLUTE32(y, sum) FABDS4(20, 0, y); FADDS4(sum, sum, 20)
#define MINIMUM64(y, sum) FMIND2(20, 0, y); FADDD2(sum, sum, 20)
#define MINIMUM32(y, sum) FMINS4(20, 0, y); FADDS4(sum, sum, 20)

// (x-y)²/(x+y), and 0 where x+y is
#define CHI64(y, sum) FSUBD2(20, 0, y); FADDD2(21, 0, y); FMULD2(20, 20, 20); FDIVD2(20, 20, 21); FCMEQ0D2(21, 21); BICV(20, 20, 21); FADDD2(sum, sum, 20)
#define CHI32(y, sum) FSUBS4(20, 0, y); FADDS4(21, 0, y); FMULS4(20, 20, 20); FDIVS4(20, 20, 21); FCMEQ0S4(21, 21); BICV(20, 20, 21); FADDS4(sum, sum, 20)

#define LOADARGS \
	MOVD n+0(FP), R0 \
	MOVD x+8(FP), R1 \
	MOVD y0+16(FP), R2 \
	MOVD y1+24(FP), R3 \
	MOVD y2+32(FP), R4 \
	MOVD y3+40(FP), R5 \
	MOVD dst+48(FP), R6 \
	VEOR V16.B16, V16.B16, V16.B16 \
	VEOR V17.B16, V17.B16, V17.B16 \
	VEOR V18.B16, V18.B16, V18.B16 \
	VEOR V19.B16, V19.B16, V19.B16

#define LOADVECTORS64 \
	VLD1.P 16(R1), [V0.D2] \
	VLD1.P 16(R2), [V1.D2] \
	VLD1.P 16(R3), [V2.D2] \
	VLD1.P 16(R4), [V3.D2] \
	VLD1.P 16(R5), [V4.D2]

#define LOADONE64 \
	FMOVD.P 8(R1), F0 \
	FMOVD.P 8(R2), F1 \
	FMOVD.P 8(R3), F2 \
	FMOVD.P 8(R4), F3 \
	FMOVD.P 8(R5), F4

#define LOADVECTORS32 \
	VLD1.P 16(R1), [V0.S4] \
	VLD1.P 16(R2), [V1.S4] \
	VLD1.P 16(R3), [V2.S4] \
	VLD1.P 16(R4), [V3.S4] \
	VLD1.P 16(R5), [V4.S4]

#define LOADONE32 \
	FMOVS.P 4(R1), F0 \
	FMOVS.P 4(R2), F1 \
	FMOVS.P 4(R3), F2 \
	FMOVS.P 4(R4), F3 \
	FMOVS.P 4(R5), F4

// func squaredDistances64NEON(n int, x, y0, y1, y2, y3 *float64, dst *[4]float64)
TEXT ·squaredDistances64NEON(SB), NOSPLIT, $0-56
	LOADARGS
	SUBS $2, R0, R0
	BLT  rest

vector:
	LOADVECTORS64
	SQUARED64(1, 16)
	SQUARED64(2, 17)
	SQUARED64(3, 18)
	SQUARED64(4, 19)
	SUBS $2, R0, R0
	BGE  vector

rest:
	ADDS $2, R0, R0
	BEQ  reduce

one:
	LOADONE64
	SQUARED64(1, 16)
	SQUARED64(2, 17)
	SQUARED64(3, 18)
	SQUARED64(4, 19)
	SUBS $1, R0, R0
	BNE  one

reduce:
	FADDPD(16, 16)
	FADDPD(17, 17)
	FADDPD(18, 18)
	FADDPD(19, 19)
	FMOVD F16, 0(R6)
	FMOVD F17, 8(R6)
	FMOVD F18, 16(R6)
	FMOVD F19, 24(R6)
	RET

// func absoluteDistances64NEON(n int, x, y0, y1, y2, y3 *float64, dst *[4]float64)
TEXT ·absoluteDistances64NEON(SB), NOSPLIT, $0-56
	LOADARGS
	SUBS $2, R0, R0
	BLT  rest

vector:
	LOADVECTORS64
	ABSOLUTE64(1, 16)
	ABSOLUTE64(2, 17)
	ABSOLUTE64(3, 18)
	ABSOLUTE64(4, 19)
	SUBS $2, R0, R0
	BGE  vector

rest:
	ADDS $2, R0, R0
	BEQ  reduce

one:
	LOADONE64
	ABSOLUTE64(1, 16)
	ABSOLUTE64(2, 17)
	ABSOLUTE64(3, 18)
	ABSOLUTE64(4, 19)
	SUBS $1, R0, R0
	BNE  one

reduce:
	FADDPD(16, 16)
	FADDPD(17, 17)
	FADDPD(18, 18)
	FADDPD(19, 19)
	FMOVD F16, 0(R6)
	FMOVD F17, 8(R6)
	FMOVD F18, 16(R6)
	FMOVD F19, 24(R6)
	RET

// func absoluteDistances32NEON(n int, x, y0, y1, y2, y3 *float32, dst *[4]float32)
TEXT ·absoluteDistances32NEON(SB), NOSPLIT, $0-56
	LOADARGS
	SUBS $4, R0, R0
	BLT  rest

vector:
	LOADVECTORS32
	ABSOLUTE32(1, 16)
	ABSOLUTE32(2, 17)
	ABSOLUTE32(3, 18)
	ABSOLUTE32(4, 19)
	SUBS $4, R0, R0
	BGE  vector

rest:
	ADDS $4, R0, R0
	BEQ  reduce

one:
	LOADONE32
	ABSOLUTE32(1, 16)
	ABSOLUTE32(2, 17)
	ABSOLUTE32(3, 18)
	ABSOLUTE32(4, 19)
	SUBS $1, R0, R0
	BNE  one

reduce:
	FADDPS4(16, 16, 16)
	FADDPS(16, 16)
	FADDPS4(17, 17, 17)
	FADDPS(17, 17)
	FADDPS4(18, 18, 18)
	FADDPS(18, 18)
	FADDPS4(19, 19, 19)
	FADDPS(19, 19)
	FMOVS F16, 0(R6)
	FMOVS F17, 4(R6)
	FMOVS F18, 8(R6)
	FMOVS F19, 12(R6)
	RET

// func minimumSums64NEON(n int, x, y0, y1, y2, y3 *float64, dst *[4]float64)
TEXT ·minimumSums64NEON(SB), NOSPLIT, $0-56
	LOADARGS
	SUBS $2, R0, R0
	BLT  rest

vector:
	LOADVECTORS64
	MINIMUM64(1, 16)
	MINIMUM64(2, 17)
	MINIMUM64(3, 18)
	MINIMUM64(4, 19)
	SUBS $2, R0, R0
	BGE  vector

rest:
	ADDS $2, R0, R0
	BEQ  reduce

one:
	LOADONE64
	MINIMUM64(1, 16)
	MINIMUM64(2, 17)
	MINIMUM64(3, 18)
	MINIMUM64(4, 19)
	SUBS $1, R0, R0
	BNE  one

reduce:
	FADDPD(16, 16)
	FADDPD(17, 17)
	FADDPD(18, 18)
	FADDPD(19, 19)
	FMOVD F16, 0(R6)
	FMOVD F17, 8(R6)
	FMOVD F18, 16(R6)
	FMOVD F19, 24(R6)
	RET

// func minimumSums32NEON(n int, x, y0, y1, y2, y3 *float32, dst *[4]float32)
TEXT ·minimumSums32NEON(SB), NOSPLIT, $0-56
	LOADARGS
	SUBS $4, R0, R0
	BLT  rest

vector:
	LOADVECTORS32
	MINIMUM32(1, 16)
	MINIMUM32(2, 17)
	MINIMUM32(3, 18)
	MINIMUM32(4, 19)
	SUBS $4, R0, R0
	BGE  vector

rest:
	ADDS $4, R0, R0
	BEQ  reduce

one:
	LOADONE32
	MINIMUM32(1, 16)
	MINIMUM32(2, 17)
	MINIMUM32(3, 18)
	MINIMUM32(4, 19)
	SUBS $1, R0, R0
	BNE  one

reduce:
	FADDPS4(16, 16, 16)
	FADDPS(16, 16)
	FADDPS4(17, 17, 17)
	FADDPS(17, 17)
	FADDPS4(18, 18, 18)
	FADDPS(18, 18)
	FADDPS4(19, 19, 19)
	FADDPS(19, 19)
	FMOVS F16, 0(R6)
	FMOVS F17, 4(R6)
	FMOVS F18, 8(R6)
	FMOVS F19, 12(R6)
	RET

// func chiSquaredDistances64NEON(n int, x, y0, y1, y2, y3 *float64, dst *[4]float64)
TEXT ·chiSquaredDistances64NEON(SB), NOSPLIT, $0-56
	LOADARGS
	SUBS $2, R0, R0
	BLT  rest

vector:
	LOADVECTORS64
	CHI64(1, 16)
	CHI64(2, 17)
	CHI64(3, 18)
	CHI64(4, 19)
	SUBS $2, R0, R0
	BGE  vector

rest:
	ADDS $2, R0, R0
	BEQ  reduce

one:
	LOADONE64
	CHI64(1, 16)
	CHI64(2, 17)
	CHI64(3, 18)
	CHI64(4, 19)
	SUBS $1, R0, R0
	BNE  one

reduce:
	FADDPD(16, 16)
	FADDPD(17, 17)
	FADDPD(18, 18)
	FADDPD(19, 19)
	FMOVD F16, 0(R6)
	FMOVD F17, 8(R6)
	FMOVD F18, 16(R6)
	FMOVD F19, 24(R6)
	RET

// func chiSquaredDistances32NEON(n int, x, y0, y1, y2, y3 *float32, dst *[4]float32)
TEXT ·chiSquaredDistances32NEON(SB), NOSPLIT, $0-56
	LOADARGS
	SUBS $4, R0, R0
	BLT  rest

vector:
	LOADVECTORS32
	CHI32(1, 16)
	CHI32(2, 17)
	CHI32(3, 18)
	CHI32(4, 19)
	SUBS $4, R0, R0
	BGE  vector

rest:
	ADDS $4, R0, R0
	BEQ  reduce

one:
	LOADONE32
	CHI32(1, 16)
	CHI32(2, 17)
	CHI32(3, 18)
	CHI32(4, 19)
	SUBS $1, R0, R0
	BNE  one

reduce:
	FADDPS4(16, 16, 16)
	FADDPS(16, 16)
	FADDPS4(17, 17, 17)
	FADDPS(17, 17)
	FADDPS4(18, 18, 18)
	FADDPS(18, 18)
	FADDPS4(19, 19, 19)
	FADDPS(19, 19)
	FMOVS F16, 0(R6)
	FMOVS F17, 4(R6)
	FMOVS F18, 8(R6)
	FMOVS F19, 12(R6)
	RET

// func addNorms64NEON(n int, row, norms *float64, norm, tau float64) (small uint64)
TEXT ·addNorms64NEON(SB), NOSPLIT, $0-48
	MOVD  n+0(FP), R0
	MOVD  row+8(FP), R1
	MOVD  norms+16(FP), R2
	FMOVD norm+24(FP), F6
	FMOVD tau+32(FP), F7
	VDUP  V6.D[0], V16.D2
	VDUP  V7.D[0], V17.D2
	MOVD  $0, R3
	MOVD  $-1, R4
	VDUP  R4, V20.D2 // where all results were large
	SUBS  $2, R0, R0
	BLT   rest

vector:
	VLD1   (R1), [V0.D2]
	VLD1.P 16(R2), [V1.D2]
	FADDD2(1, 16, 1)
	FADDD2(0, 0, 1)
	FMULD2(2, 17, 1)
	FCMGTD2(2, 0, 2)
	VAND   V2.B16, V20.B16, V20.B16
	VST1.P [V0.D2], 16(R1)
	SUBS   $2, R0, R0
	BGE    vector

rest:
	ADDS $2, R0, R0
	BEQ  flags

one:
	FMOVD   (R1), F0
	FMOVD.P 8(R2), F1
	FADDD   F1, F6, F1
	FADDD   F1, F0, F0
	FMULD   F1, F7, F2
	FMOVD.P F0, 8(R1)
	FCMPD   F2, F0
	BGT     large
	MOVD    $1, R3

large:
	SUBS $1, R0, R0
	BNE  one

flags:
	UMINVS4(20, 20)
	FMOVS F20, R4
	CMPW  $-1, R4
	BEQ   done
	MOVD  $1, R3

done:
	MOVD R3, small+40(FP)
	RET

// func addNorms32NEON(n int, row, norms *float32, norm, tau float32) (small uint64)
TEXT ·addNorms32NEON(SB), NOSPLIT, $0-40
	MOVD  n+0(FP), R0
	MOVD  row+8(FP), R1
	MOVD  norms+16(FP), R2
	FMOVS norm+24(FP), F6
	FMOVS tau+28(FP), F7
	VDUP  V6.S[0], V16.S4
	VDUP  V7.S[0], V17.S4
	MOVD  $0, R3
	MOVD  $-1, R4
	VDUP  R4, V20.D2 // where all results were large
	SUBS  $4, R0, R0
	BLT   rest

vector:
	VLD1   (R1), [V0.S4]
	VLD1.P 16(R2), [V1.S4]
	FADDS4(1, 16, 1)
	FADDS4(0, 0, 1)
	FMULS4(2, 17, 1)
	FCMGTS4(2, 0, 2)
	VAND   V2.B16, V20.B16, V20.B16
	VST1.P [V0.S4], 16(R1)
	SUBS   $4, R0, R0
	BGE    vector

rest:
	ADDS $4, R0, R0
	BEQ  flags

one:
	FMOVS   (R1), F0
	FMOVS.P 4(R2), F1
	FADDS   F1, F6, F1
	FADDS   F1, F0, F0
	FMULS   F1, F7, F2
	FMOVS.P F0, 4(R1)
	FCMPS   F2, F0
	BGT     large
	MOVD    $1, R3

large:
	SUBS $1, R0, R0
	BNE  one

flags:
	UMINVS4(20, 20)
	FMOVS F20, R4
	CMPW  $-1, R4
	BEQ   done
	MOVD  $1, R3

done:
	MOVD R3, small+32(FP)
	RET
