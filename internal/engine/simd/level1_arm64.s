//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// func dot64NEON(n int, x, y *float64) float64
TEXT ·dot64NEON(SB), NOSPLIT, $0-32
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	SUBS $8, R0, R0
	BLT  reduce

eight:
	VLD1.P 64(R1), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P 64(R2), [V4.D2, V5.D2, V6.D2, V7.D2]
	FMLAD2(16, 0, 4)
	FMLAD2(17, 1, 5)
	FMLAD2(18, 2, 6)
	FMLAD2(19, 3, 7)
	SUBS $8, R0, R0
	BGE  eight

reduce:
	FADDD2(16, 16, 17)
	FADDD2(18, 18, 19)
	FADDD2(16, 16, 18)
	FADDPD(16, 16)
	ADDS $8, R0, R0
	BEQ  done

one:
	FMOVD.P 8(R1), F0
	FMOVD.P 8(R2), F4
	FMADDD  F0, F16, F4, F16
	SUBS    $1, R0, R0
	BNE     one

done:
	FMOVD F16, ret+24(FP)
	RET

// func dot32NEON(n int, x, y *float32) float32
TEXT ·dot32NEON(SB), NOSPLIT, $0-28
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	SUBS $16, R0, R0
	BLT  reduce

sixteen:
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R2), [V4.S4, V5.S4, V6.S4, V7.S4]
	FMLAS4(16, 0, 4)
	FMLAS4(17, 1, 5)
	FMLAS4(18, 2, 6)
	FMLAS4(19, 3, 7)
	SUBS $16, R0, R0
	BGE  sixteen

reduce:
	FADDS4(16, 16, 17)
	FADDS4(18, 18, 19)
	FADDS4(16, 16, 18)
	FADDPS4(16, 16, 16)
	FADDPS(16, 16)
	ADDS $16, R0, R0
	BEQ  done

one:
	FMOVS.P 4(R1), F0
	FMOVS.P 4(R2), F4
	FMADDS  F0, F16, F4, F16
	SUBS    $1, R0, R0
	BNE     one

done:
	FMOVS F16, ret+24(FP)
	RET

// func axpy64NEON(n int, alpha float64, x, y *float64)
TEXT ·axpy64NEON(SB), NOSPLIT, $0-32
	MOVD  n+0(FP), R0
	FMOVD alpha+8(FP), F15
	MOVD  x+16(FP), R1
	MOVD  y+24(FP), R2
	SUBS  $8, R0, R0
	BLT   rest

eight:
	VLD1.P 64(R1), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1   (R2), [V4.D2, V5.D2, V6.D2, V7.D2]
	FMLAD2LANE(4, 0, 15, 0)
	FMLAD2LANE(5, 1, 15, 0)
	FMLAD2LANE(6, 2, 15, 0)
	FMLAD2LANE(7, 3, 15, 0)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R2)
	SUBS   $8, R0, R0
	BGE    eight

rest:
	ADDS $8, R0, R0
	BEQ  done

one:
	FMOVD.P 8(R1), F0
	FMOVD   (R2), F4
	FMADDD  F0, F4, F15, F4
	FMOVD.P F4, 8(R2)
	SUBS    $1, R0, R0
	BNE     one

done:
	RET

// func axpy32NEON(n int, alpha float32, x, y *float32)
TEXT ·axpy32NEON(SB), NOSPLIT, $0-32
	MOVD  n+0(FP), R0
	FMOVS alpha+8(FP), F15
	MOVD  x+16(FP), R1
	MOVD  y+24(FP), R2
	SUBS  $16, R0, R0
	BLT   rest

sixteen:
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1   (R2), [V4.S4, V5.S4, V6.S4, V7.S4]
	FMLAS4LANE(4, 0, 15, 0, 0)
	FMLAS4LANE(5, 1, 15, 0, 0)
	FMLAS4LANE(6, 2, 15, 0, 0)
	FMLAS4LANE(7, 3, 15, 0, 0)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R2)
	SUBS   $16, R0, R0
	BGE    sixteen

rest:
	ADDS $16, R0, R0
	BEQ  done

one:
	FMOVS.P 4(R1), F0
	FMOVS   (R2), F4
	FMADDS  F0, F4, F15, F4
	FMOVS.P F4, 4(R2)
	SUBS    $1, R0, R0
	BNE     one

done:
	RET
