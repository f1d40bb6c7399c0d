package store

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
)

// unique is a number that no other writer has.
func unique() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

// JobID is the name of a new job.
func JobID() string { return fmt.Sprintf("%012x", unique()>>16) }
