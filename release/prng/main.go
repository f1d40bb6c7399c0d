// Command prng writes bcryptprimitives.dll for Wine before version 9, which lacks it and without
// which no program of Go 1.22 or later begins:
//
//	go run ./release/prng drive_c/windows/system32/bcryptprimitives.dll
//
// The library has no code. It exports ProcessPrng(buffer, length), which the runtime asks for
// random bytes, as another name of SystemFunction036 of advapi32 (RtlGenRandom), which takes the
// same and gives the same.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
)

// Where things lie in the file and, once loaded, in memory.
const (
	header, section = 0x200, 0x1000 // the one section, in the file and in memory
	exportSize      = 40
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: prng FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], library(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "prng:", err)
		os.Exit(1)
	}
}

// library is a PE32+ file (Microsoft, PE Format) with nothing but an export directory.
func library() []byte {
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&b, binary.LittleEndian, v) // memory takes everything
		}
	}
	dos := make([]byte, 64)
	copy(dos, "MZ")
	dos[60] = 64 // where the header proper is
	put(dos, []byte("PE\x00\x00"))
	// COFF: x86-64, one section, the size of what follows, an executable image that is a library.
	put(uint16(0x8664), uint16(1), uint32(0), uint32(0), uint32(0), uint16(240), uint16(0x2022))
	exports := exportDirectory()
	// sizes; no entry point
	put(uint16(0x20b), uint16(0), uint32(0), uint32(0x200), uint32(0), uint32(0), uint32(0))
	// base, alignments, versions
	put(uint64(0x180000000), uint32(section), uint32(0x200), uint16(6), uint16(0), uint16(0), uint16(0), uint16(6),
		uint16(0))
	// image, headers, console, no code in data
	put(uint32(0), uint32(2*section), uint32(header), uint32(0), uint16(3), uint16(0x100))
	put(uint64(1<<20), uint64(1<<12), uint64(1<<20), uint64(1<<12), uint32(0), uint32(16))
	put(uint32(section), uint32(len(exports)), make([]byte, 15*8)) // of 16 directories, the first
	name := [8]byte{'.', 'e', 'd', 'a', 't', 'a'}
	put(name, uint32(len(exports)), uint32(section), uint32(0x200), uint32(header), uint32(0), uint32(0), uint32(0),
		uint32(0x40000040))
	put(make([]byte, header-b.Len()), exports, make([]byte, 0x200-len(exports)))
	return b.Bytes()
}

// exportDirectory is one name that stands for one of another library.
func exportDirectory() []byte {
	texts := []string{"bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"}
	at := [3]uint32{}
	place := uint32(section + exportSize + 4 + 4 + 2)
	var strings []byte
	for i, s := range texts {
		at[i] = place + uint32(len(strings))
		strings = append(append(strings, s...), 0)
	}
	var b bytes.Buffer
	for _, v := range []any{
		[3]uint32{}, at[0], uint32(1), uint32(1), uint32(1), // name, first number, how many by number and by name
		uint32(section + exportSize), uint32(section + exportSize + 4), uint32(section + exportSize + 8),
		at[2], at[1], uint16(0), strings,
	} {
		_ = binary.Write(&b, binary.LittleEndian, v)
	}
	return b.Bytes()
}
