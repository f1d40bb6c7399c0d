package data

// Above the kernels nothing asks what a point is: a search, a model file or a server sees rows of
// K. Points are erased there, so that all of it is compiled once and not once for each type of
// points. The door is passed once for a batch, never for a pair: what is erased still holds the
// points as they were given.

// erased is points whose type was forgotten.
type erased[T any] struct{ points Points[T] }

// Erase forgets the type of points. What they were is found again by Typed and Concrete.
func Erase[T any](p Points[T]) Points[any] {
	if p == nil {
		return nil
	}
	if same, ok := p.(Points[any]); ok {
		return same
	}
	if v, ok := p.(typed[T]); ok {
		return v.points
	}
	return erased[T]{p}
}

// Typed is erased points with their type: those that were erased, or a view of others that hold
// points of that type. It says whether they are such points.
func Typed[T any](p Points[any]) (Points[T], bool) {
	switch p := p.(type) {
	case nil:
		return nil, false
	case erased[T]:
		return p.points, true
	}
	if same, ok := p.(Points[T]); ok { // T is any
		return same, true
	}
	if e, ok := p.(interface{ concrete() any }); ok { // erased, or numbers in what was
		c := e.concrete()
		if _, plain := c.(Points[any]); !plain {
			of, ok := c.(Points[T])
			return of, ok
		}
	}
	if p.Len() > 0 {
		if _, ok := p.At(0).(T); !ok {
			return nil, false
		}
	}
	return typed[T]{p}, true
}

// Concrete is what stands behind points: those that were erased, or the points themselves. Who
// looks for points of a certain kind (rows of a matrix, vectors) looks at this.
func Concrete[T any](p Points[T]) any {
	if e, ok := any(p).(interface{ concrete() any }); ok {
		return e.concrete()
	}
	return p
}

// Boxed is points whose At costs nothing, for who asks for single ones again and again: of erased
// points each is made an object once.
func Boxed[T any](p Points[T]) Points[T] {
	if _, erased := any(p).(interface{ concrete() any }); !erased {
		return p
	}
	out := make(Slice[T], p.Len())
	for i := range out {
		out[i] = p.At(i)
	}
	return out
}

// Len returns the number of points.
func (e erased[T]) Len() int { return e.points.Len() }

// At returns point i.
func (e erased[T]) At(i int) any { return e.points.At(i) }

// Place is where a slice of points begins, by which two of them are known to be one; nil for other
// points.
func (e erased[T]) Place() any {
	if s, ok := e.points.(Slice[T]); ok && len(s) > 0 {
		return &s[0]
	}
	return nil
}

// whole is the points as a whole to be numbered: made once, since it is known by its place.
func (e erased[T]) whole() any { return &e.points }

// numbered is some of the points of a whole, by their numbers.
func (e erased[T]) numbered(whole any, number []int) any {
	return &Numbered[T]{whole: whole.(*Points[T]), number: number}
}

func (e erased[T]) concrete() any                  { return e.points }
func (e erased[T]) gather(index []int) Points[any] { return Erase(Gather(e.points, index)) }
func (e erased[T]) span(lo, hi int) Points[any]    { return Erase(Span(e.points, lo, hi)) }
func (e erased[T]) own(index []int) Points[any]    { return Erase(OwnSubset(e.points, index)) }
func (e erased[T]) join(all []Points[any]) Points[any] {
	parts := make([]Points[T], len(all))
	for i, p := range all {
		var ok bool
		if parts[i], ok = Typed[T](p); !ok {
			return nil
		}
	}
	return Erase(JoinPoints(parts))
}

// keeper is erased points: they copy and join themselves as what they are.
type keeper[T any] interface {
	own(index []int) Points[T]
	join(all []Points[T]) Points[T] // nil where the others are of another type
}

// typed views points that were never of one type as points of type T.
type typed[T any] struct{ points Points[any] }

func (v typed[T]) Len() int   { return v.points.Len() }
func (v typed[T]) At(i int) T { return v.points.At(i).(T) }

func (v typed[T]) gather(index []int) Points[T] { return typed[T]{Gather(v.points, index)} }
func (v typed[T]) span(lo, hi int) Points[T]    { return typed[T]{Span(v.points, lo, hi)} }
