package decompress

import (
	"encoding/binary"
	"math/bits"
)

// The primes of xxHash (Collet, "xxHash fast digest algorithm", version 0.1.1).
const (
	xxPrime1 = 2654435761
	xxPrime2 = 2246822519
	xxPrime3 = 3266489917
	xxPrime4 = 668265263
	xxPrime5 = 374761393
)

// xxHash32 is the checksum of LZ4 frames: xxHash of 32 bits with the seed 0.
func xxHash32(b []byte) uint32 {
	h := uint32(xxPrime5)
	size := uint32(len(b))
	if len(b) >= 16 {
		lane := [4]uint32{(xxPrime1 + xxPrime2) & (1<<32 - 1), xxPrime2, 0, 1<<32 - xxPrime1}
		for ; len(b) >= 16; b = b[16:] {
			for i := range lane {
				lane[i] = bits.RotateLeft32(lane[i]+binary.LittleEndian.Uint32(b[4*i:])*xxPrime2, 13) * xxPrime1
			}
		}
		h = bits.RotateLeft32(lane[0], 1) + bits.RotateLeft32(lane[1], 7) + bits.RotateLeft32(lane[2],
			12) + bits.RotateLeft32(lane[3], 18)
	}
	h += size
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(b)*xxPrime3, 17) * xxPrime4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*xxPrime5, 11) * xxPrime1
	}
	h = (h ^ h>>15) * xxPrime2
	h = (h ^ h>>13) * xxPrime3
	return h ^ h>>16
}
