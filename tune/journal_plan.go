package tune

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/learn"
)

// searchPlan is what of a search depends on its budget and is settled before it begins. It stands
// in the journal, so that a search that goes on with more time judges settings by the rows and
// folds that it began with: all that was tried counts.
type searchPlan struct {
	Rows    int `json:"rows"`    // that settings are judged on
	Repeats int `json:"repeats"` // of the folds
	// Relevance is the length-scales of columns that some candidates have; nil: none have them.
	Relevance *relevance `json:"relevance,omitempty"`
	// Terms is what texts of columns are counted by; nil: nothing was chosen.
	Terms map[string]data.TextPolicy `json:"terms,omitempty"`
}

// candidatesVersion counts how often the candidates of Auto became others: a search that an older
// program began is not this one.
const candidatesVersion = 3

// identityOf tells a search of Auto from others by its data and what it was asked for. The budget
// is no part of it. Rows are told apart by their number, their targets and a thousand of them: each
// cell of a journal says by itself which rows it was judged on.
func (o AutoOptions) identityOf(p learn.Problem[any]) string {
	h := sha256.New()
	fmt.Fprintln(h, "candidates", candidatesVersion)
	fmt.Fprintln(h, p.Task, p.ClassCount(), p.Positive, p.Len(), len(p.More), p.ClassWeights)
	fmt.Fprintln(h, o.Seed, o.Folds, o.Repeats, o.Time, o.Metric.Name, o.Evidence, o.Repair, o.Solver, o.Centers,
		o.Transform, o.learnerNames(), o.Written)
	fmt.Fprintf(h, "%T %v\n", o.Strategy, o.Strategy)
	if o.Kernel != nil {
		text, err := spec.FormatKernel(o.Kernel)
		fmt.Fprintln(h, text, err)
	}
	numbers := func(v []float64) {
		buffer := make([]byte, 0, 8*len(v))
		for _, x := range v {
			buffer = binary.LittleEndian.AppendUint64(buffer, math.Float64bits(x))
		}
		h.Write(buffer)
	}
	numbers(p.Y)
	numbers(p.Weights)
	for _, y := range p.More {
		numbers(y)
	}
	if p.Outputs != nil {
		numbers(p.Outputs.RawSymmetric().Data)
	}
	fmt.Fprintln(h, p.Groups)
	const some = 1000
	for i := range min(p.Len(), some) {
		fmt.Fprintln(h, p.Points.At(i*p.Len()/min(p.Len(), some)))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// planIn is the plan of a journal of this search, or where that is empty of any; nil where there is
// none.
func planIn(file, search string) *searchPlan {
	if file == "" {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	line, _, err := readLine(bufio.NewReader(f))
	var h journalHead
	if err != nil || !bytes.HasPrefix(line, []byte(journalMark)) || json.Unmarshal(line, &h) != nil ||
		h.Journal != journalVersion {
		return nil
	}
	if search == "" {
		search = h.Search
	}
	if !sealed(line, search) {
		return nil
	}
	return h.Plan
}
