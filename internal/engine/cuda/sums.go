package cuda

import (
	"fmt"
	"math"
)

// Sums is products K(A, B)·v of one kernel on one device. It is for one goroutine at a time.
type Sums struct {
	device  Device
	tree    Tree
	way     way
	double  bool
	profile profile
	limit   float64 // of the norms of points
	blocks  int     // of a packed row
	exact   bool    // products by differences of few columns and one profile, in double precision
	close   bool    // of those, by matrix instructions: Gaussians of points that do not reach too far
	terms   []*Sums // of a sum of kernels, each by matrix instructions; nil for others

	code    Ptr // the tree
	table   Ptr
	origins Ptr
	partial Ptr
	room    int64 // bytes of partial sums
}

// Precision names that of kernel values.
type Precision int

// Single is 22 bits and more, Double 53.
const (
	Single Precision = iota
	Double
)

// way is how values are made.
type way int

const (
	byTree    way = iota // differences, by a list of operations
	byPacked             // matrix instructions on numbers of half precision, in single precision
	byDeep               // the same for many columns, some at a time
	byFew                // differences of few columns and one profile, in single precision
	byProduct            // matrix instructions in double precision, of one profile
)

// NewSums makes a tree ready on a device. reach is the largest norm of a point after its shift, for
// each source; room the bytes that partial sums may take.
func NewSums(d Device, t Tree, p Precision, reach []float64, room int64) (*Sums, error) {
	if !t.Fits() {
		return nil, fmt.Errorf("cuda: a tree of %d operations on %d sources", len(t.Code), len(t.Sources))
	}
	s := &Sums{device: d, tree: t, double: p == Double, room: room}
	if s.choose(reach[0]); s.way != byTree {
		return s, s.alloc(&s.partial, room)
	}
	if err := s.separate(reach); err != nil || s.terms != nil {
		return s, err
	}
	return s, s.upload()
}

// NewTree is NewSums in double precision by differences, whatever the tree: what Slopes wants.
func NewTree(d Device, t Tree) (*Sums, error) {
	if !t.Fits() {
		return nil, fmt.Errorf("cuda: a tree of %d operations on %d sources", len(t.Code), len(t.Sources))
	}
	s := &Sums{device: d, tree: t, double: true, limit: math.Inf(1), room: 8}
	return s, s.upload()
}

// upload brings the tree to the device; what it took is given back where it cannot.
func (s *Sums) upload() error {
	d, t, room := s.device, s.tree, s.room
	code := make([]float64, 0, 4*len(t.Code))
	for _, c := range t.Code {
		code = append(code, float64(c.Op), float64(c.Index), c.A, c.B)
	}
	for _, a := range []struct {
		p     *Ptr
		bytes int64
		from  []byte
	}{{&s.code, int64(8 * len(code)), bytesOf(code)}, {&s.table, int64(8*len(t.Table) + 8), bytesOf(t.Table)},
		{&s.origins, int64(32 * len(t.Sources)), nil}, {&s.partial, room, nil}} {
		if err := s.alloc(a.p, a.bytes); err != nil {
			return err
		}
		if err := d.ToDevice(0, *a.p, a.from); err != nil {
			s.Close()
			return err
		}
	}
	return d.Sync(0)
}

// choose finds the way for points that reach so far.
func (s *Sums) choose(reach float64) {
	var is bool
	if s.profile, s.limit, is = s.tree.profileOf(reach); !is {
		s.limit = math.Inf(1)
		return
	}
	near, dim := reach <= s.limit, s.tree.Sources[0].Dim
	few := s.double && s.profile.norms && s.profile.kind != rationalKind && dim <= mostFew
	s.exact = few && (dim <= fewColumns || !near || s.profile.kind == laplaceKind)
	closest := closeReach * s.limit
	s.close = s.exact && s.profile.kind == gaussKind && dim <= closeColumns && reach <= closest
	switch {
	case s.exact: // by the tree, but for products
	// the root of a small difference of large numbers has half of its digits
	case s.double && near && s.profile.kind != laplaceKind:
		s.way = byProduct
	case s.double:
	case near && packedBlocks(dim) >= deepFrom && s.profile.kind != laplaceKind && deepShared(2) <= s.device.Info().Shared:
		s.way, s.blocks = byDeep, (dim+31)/32*2
	case near && packedBlocks(dim) <= mostBlocks && !(s.profile.norms && dim <= fewColumns):
		s.blocks = s.stored(packedBlocks(dim))
		if s.sharedBytes(2) <= s.device.Info().Shared {
			s.way = byPacked
		}
	}
	if s.way == byTree && !s.double && s.profile.norms && dim <= mostFew {
		s.way = byFew
	}
	if s.close {
		s.limit = closest
	} else if s.way == byTree || s.way == byFew {
		s.limit = math.Inf(1)
	}
}

// closeColumns is how many columns _gen/exact.cu takes by matrix instructions, and closeReach how
// many times as far as others their points may be: at ½‖x‖² = 1024, in powers of two, a Gaussian is
// off by less than 1e-12 of itself, and a sum by less, since the errors have either sign.
const (
	closeColumns = 3
	closeReach   = 4
)

// Limit is the largest norm of a point of source i for which these sums have their digits; for
// farther ones a caller makes new sums with a larger reach.
func (s *Sums) Limit(i int) float64 {
	if s.terms != nil {
		return s.terms[i].limit
	}
	return s.limit
}

func (s *Sums) alloc(p *Ptr, bytes int64) (err error) {
	if *p, err = s.device.Alloc(bytes); err != nil {
		s.Close()
	}
	return err
}

// Close gives its memory back.
func (s *Sums) Close() {
	for _, p := range []*Ptr{&s.code, &s.table, &s.origins, &s.partial} {
		if *p != 0 {
			_ = s.device.Free(*p)
			*p = 0
		}
	}
}

// Precision is that of the values: Double only where it was asked for.
func (s *Sums) Precision() Precision {
	if s.double {
		return Double
	}
	return Single
}

// Way says how values are made, for people.
func (s *Sums) Way() string {
	switch {
	case s.terms != nil:
		return "term by term, " + s.terms[0].Way()
	case s.way == byPacked && s.wide():
		return "matrix instructions of Hopper"
	case s.way == byPacked:
		return "matrix instructions"
	case s.way == byDeep:
		return "matrix instructions, some columns at a time"
	case s.way == byFew:
		return "single precision by differences of few columns"
	case s.way == byProduct:
		return "double precision by matrix instructions"
	case s.close:
		return "double precision by matrix instructions for few columns"
	case s.exact:
		return "double precision by differences of few columns"
	case s.double:
		return "double precision"
	}
	return "single precision by differences"
}
