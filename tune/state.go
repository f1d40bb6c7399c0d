package tune

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"math"
	"os"
	"time"

	"github.com/mercer-ml/mercer/internal/files"
)

// fitState is how far the last fit on few centres has come: beside the journal, for a process that
// is killed in it to be followed by one that goes on. Kernel, λ and centres were found by then and
// are kept with the iterate, since a second search for them might find others.
type fitState struct {
	Of      string  `json:"of"`     // fingerprint of rows and search
	Kernel  string  `json:"kernel"` // as text
	Label   string  `json:"label"`
	Lambda  float64 `json:"lambda"`
	Centers int     `json:"centers"`
	Score   float64 `json:"score"`
	Steps   int     `json:"steps"`  // of all processes together
	Vector  []byte  `json:"vector"` // float64, little endian
	Sum     uint32  `json:"sum"`    // of Vector
}

// stateEvery is how often the file is written at the most; stateKept is told of each time, in
// tests.
var (
	stateEvery = time.Second
	stateKept  func(iteration int)
)

// stateFile is where the state of a search with a journal is.
func stateFile(journal string) string {
	if journal == "" {
		return ""
	}
	return journal + ".fit"
}

// readState is the state of a fit of the same rows; nil where there is none, or it is damaged.
func readState(file, of string) *fitState {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var s fitState
	if json.Unmarshal(text, &s) != nil || s.Of != of || s.Sum != crc32.ChecksumIEEE(s.Vector) || len(s.Vector)%8 != 0 {
		return nil
	}
	return &s
}

// removeState removes the state of a fit, whatever search it is of; another's file stays.
func removeState(file string) {
	text, err := os.ReadFile(file)
	var s fitState
	if err == nil && json.Unmarshal(text, &s) == nil && s.Of != "" && s.Kernel != "" {
		os.Remove(file)
	}
}

// start is the iterate.
func (s *fitState) start() []float64 {
	if s == nil || len(s.Vector) == 0 {
		return nil
	}
	out := make([]float64, len(s.Vector)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(s.Vector[8*i:]))
	}
	return out
}

// keeper writes the state after an iteration, not too often; Steps is how many there were before. A
// disk that is full costs the state, not the fit.
func (s fitState) keeper(file string) func(int, []float64) {
	if file == "" {
		return nil
	}
	var last time.Time
	before := s.Steps
	return func(iteration int, v []float64) {
		if time.Since(last) < stateEvery {
			return
		}
		last = time.Now()
		s.Steps, s.Vector = before+iteration, make([]byte, 0, 8*len(v))
		for _, x := range v {
			s.Vector = binary.LittleEndian.AppendUint64(s.Vector, math.Float64bits(x))
		}
		s.Sum = crc32.ChecksumIEEE(s.Vector)
		files.WriteAtomic(file, func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
		if stateKept != nil {
			stateKept(iteration)
		}
	}
}
