package jobs

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// chunk is some of the numbers of a sum: what goes through an engine, whose records may not be
// large.
type chunk struct{ F []float64 }

// chunkNumbers is how many: 512 kB.
const chunkNumbers = 1 << 16

func init() {
	beam.RegisterCoder(reflect.TypeOf((*chunk)(nil)).Elem(), encodeChunk, decodeChunk)
	beam.RegisterType(reflect.TypeOf((*addChunks)(nil)).Elem())
}

func encodeChunk(c chunk) []byte {
	b := make([]byte, 0, 8*len(c.F))
	for _, v := range c.F {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func decodeChunk(b []byte) (chunk, error) {
	if len(b)%8 != 0 {
		return chunk{}, fmt.Errorf("a piece of a sum of %d bytes", len(b))
	}
	c := chunk{make([]float64, len(b)/8)}
	for i := range c.F {
		c.F[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return c, nil
}

// addChunks adds pieces of the same place.
type addChunks struct{}

// CreateAccumulator is nothing.
func (*addChunks) CreateAccumulator() chunk { return chunk{} }

// AddInput adds a piece.
func (a *addChunks) AddInput(sum, c chunk) chunk { return a.MergeAccumulators(sum, c) }

// MergeAccumulators adds two sums. Neither is changed: engines keep what they hand out.
func (*addChunks) MergeAccumulators(a, b chunk) chunk {
	switch {
	case len(a.F) == 0:
		return b
	case len(b.F) == 0:
		return a
	}
	out := chunk{make([]float64, max(len(a.F), len(b.F)))}
	copy(out.F, a.F)
	for i, v := range b.F {
		out.F[i] += v
	}
	return out
}

// ExtractOutput is the sum.
func (*addChunks) ExtractOutput(sum chunk) chunk { return sum }
