// The Advanced SIMD instructions that Go's assembler has no name for, by their
// encoding (Arm Architecture Reference Manual, C7.2). D works on two float64, S on
// four float32. Arguments are register numbers, the destination first.

#define FADDD2(d, n, m) WORD $(0x4E60D400|((m)<<16)|((n)<<5)|(d))
#define FADDS4(d, n, m) WORD $(0x4E20D400|((m)<<16)|((n)<<5)|(d))
#define FSUBD2(d, n, m) WORD $(0x4EE0D400|((m)<<16)|((n)<<5)|(d))
#define FSUBS4(d, n, m) WORD $(0x4EA0D400|((m)<<16)|((n)<<5)|(d))
#define FMULD2(d, n, m) WORD $(0x6E60DC00|((m)<<16)|((n)<<5)|(d))
#define FMULS4(d, n, m) WORD $(0x6E20DC00|((m)<<16)|((n)<<5)|(d))
#define FDIVD2(d, n, m) WORD $(0x6E60FC00|((m)<<16)|((n)<<5)|(d))
#define FDIVS4(d, n, m) WORD $(0x6E20FC00|((m)<<16)|((n)<<5)|(d))
#define FMIND2(d, n, m) WORD $(0x4EE0F400|((m)<<16)|((n)<<5)|(d))
#define FMINS4(d, n, m) WORD $(0x4EA0F400|((m)<<16)|((n)<<5)|(d))
#define FMLAD2(d, n, m) WORD $(0x4E60CC00|((m)<<16)|((n)<<5)|(d))
#define FMLAS4(d, n, m) WORD $(0x4E20CC00|((m)<<16)|((n)<<5)|(d))

// |n - m|
#define FABDD2(d, n, m) WORD $(0x6EE0D400|((m)<<16)|((n)<<5)|(d))
#define FABDS4(d, n, m) WORD $(0x6EA0D400|((m)<<16)|((n)<<5)|(d))

// all ones where n > m
#define FCMGTD2(d, n, m) WORD $(0x6EE0E400|((m)<<16)|((n)<<5)|(d))
#define FCMGTS4(d, n, m) WORD $(0x6EA0E400|((m)<<16)|((n)<<5)|(d))

// all ones where n = 0
#define FCMEQ0D2(d, n) WORD $(0x4EE0D800|((n)<<5)|(d))
#define FCMEQ0S4(d, n) WORD $(0x4EA0D800|((n)<<5)|(d))

// n and not m
#define BICV(d, n, m) WORD $(0x4E601C00|((m)<<16)|((n)<<5)|(d))

// pairwise sums: of the lanes of n, then of those of m
#define FADDPS4(d, n, m) WORD $(0x6E20D400|((m)<<16)|((n)<<5)|(d))

// the sum of the two lanes
#define FADDPD(d, n) WORD $(0x7E70D800|((n)<<5)|(d))
#define FADDPS(d, n) WORD $(0x7E30D800|((n)<<5)|(d))

// the least of the four unsigned words
#define UMINVS4(d, n) WORD $(0x6EB1A800|((n)<<5)|(d))

// d += n·m[lane], d = n·m[lane]; for S the lane is 2h + l, and m < 16
#define FMLAD2LANE(d, n, m, lane) WORD $(0x4FC01000|((lane)<<11)|((m)<<16)|((n)<<5)|(d))
#define FMLAS4LANE(d, n, m, h, l) WORD $(0x4F801000|((l)<<21)|((h)<<11)|((m)<<16)|((n)<<5)|(d))
#define FMULD2LANE(d, n, m, lane) WORD $(0x4FC09000|((lane)<<11)|((m)<<16)|((n)<<5)|(d))
#define FMULS4LANE(d, n, m, h, l) WORD $(0x4F809000|((l)<<21)|((h)<<11)|((m)<<16)|((n)<<5)|(d))
