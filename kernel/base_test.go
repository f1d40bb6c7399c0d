package kernel_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// Tiles against prepared columns are Eval for every kernel, dense and sparse, in both precisions,
// when the columns are met for the first time and again.
func TestBaseOfEveryKernel(t *testing.T) {
	for _, s := range subjects() {
		x := s.sample.points()
		checkBase(t, s.name, s.k, x)
		k, err := OnSparse(s.k, len(x.At(0)))
		if err != nil {
			t.Fatal(err)
		}
		var sparse data.Slice[data.SparseVec]
		for i := range x.Len() {
			var r data.SparseVec
			for j, v := range x.At(i) {
				if v != 0 {
					r.Index, r.Value = append(r.Index, int32(j)), append(r.Value, v)
				}
			}
			sparse = append(sparse, r)
		}
		checkBase(t, s.name+" sparse", k, data.Points[data.SparseVec](sparse))
	}
}

func checkBase[T any](t *testing.T, name string, k Kernel[T], x data.Points[T]) {
	t.Helper()
	base, n := NewBase(k, x), x.Len()
	for _, rows := range [][]int{{3, 1, 7}, {0}, {5, 5}} {
		some := data.Gather(x, rows)
		tiles := base.Prepare(context.Background(), some)
		if r, c := tiles.Dims(); r != len(rows) || c != n {
			t.Fatalf("%s: %d×%d", name, r, c)
		}
		got, single := mat.NewDense(len(rows), n, nil), blas32.General{Rows: len(rows), Cols: n, Stride: n,
			Data: make([]float32, len(rows)*n)}
		tiles.Tile(got.RawMatrix(), 0, 0)
		tiles.Tile32(single, 0, 0)
		for a, i := range rows {
			for j := range n {
				want := k.Eval(x.At(i), x.At(j))
				size := math.Abs(want) + math.Sqrt(math.Abs(k.Eval(x.At(i), x.At(i))*k.Eval(x.At(j), x.At(j))))
				if d := math.Abs(got.At(a, j) - want); !(d <= 1e-7*size+1e-12) {
					t.Fatalf("%s: k(x%d, x%d) = %g, want %g", name, i, j, got.At(a, j), want)
				}
				if d := math.Abs(float64(single.Data[a*n+j]) - want); !(d <= 1e-3*(size+1)) {
					t.Fatalf("%s: single precision: k(x%d, x%d) = %g, want %g", name, i, j, single.Data[a*n+j], want)
				}
			}
		}
	}
	// One point after another: nothing stays of the one before.
	row := make([]float64, n)
	for _, i := range []int{3, 1, 7, 1, 0} {
		if err := base.Row(context.Background(), row, x.At(i)); err != nil {
			t.Fatal(err)
		}
		for j, got := range row {
			want := k.Eval(x.At(i), x.At(j))
			size := math.Abs(want) + math.Sqrt(math.Abs(k.Eval(x.At(i), x.At(i))*k.Eval(x.At(j), x.At(j))))
			if d := math.Abs(got - want); !(d <= 1e-7*size+1e-12) {
				t.Fatalf("%s: one after another: k(x%d, x%d) = %g, want %g", name, i, j, got, want)
			}
		}
	}
}

// The columns are mapped once, however often rows come; after a context that ended they are not
// taken for mapped.
func TestBaseMapsItsColumnsOnce(t *testing.T) {
	calls := 0
	k := Normalize(Pullback(Kernel[Vec](Gaussian{}), func(x Vec) Vec { calls++; return Vec{x[0] + x[1]} }))
	y := data.Points[Vec](data.Slice[Vec]{{1, 2}, {3, 4}, {5, 6}})
	x := data.Points[Vec](data.Slice[Vec]{{1, 1}})
	base := NewBase(k, y)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Fill(1, mat.NewDense(1, 3, nil).RawMatrix(), base.Prepare(ended, x)); err == nil {
		t.Error("tiles of a context that has ended are no result")
	}
	got := mat.NewDense(1, 3, nil)
	for i := range 4 {
		calls = 0
		if err := Fill(1, got.RawMatrix(), base.Prepare(context.Background(), x)); err != nil {
			t.Fatal(err)
		}
		for j := range 3 {
			if want := k.Eval(x.At(0), y.At(j)); math.Abs(got.At(0, j)-want) > 1e-15 {
				t.Errorf("value %d is %g, want %g", j, got.At(0, j), want)
			}
		}
		calls -= 3 * 6 // the calls of Eval in this loop
		if i > 0 && calls != 1+2 {
			t.Errorf("time %d: φ was called %d times, want once for x, twice for k(x, x)", i, calls)
		}
	}
}

// sharedLetters maps each text once, and the columns of a Base once for all.
type sharedLetters struct{ mapped *int }

func (k sharedLetters) phi(s string) map[rune]bool {
	if k.mapped != nil {
		*k.mapped++
	}
	set := map[rune]bool{}
	for _, r := range s {
		set[r] = true
	}
	return set
}

func (sharedLetters) meet(u, v map[rune]bool) float64 {
	n := 0.0
	for r := range u {
		if v[r] {
			n++
		}
	}
	return n
}

func (k sharedLetters) Eval(x, y string) float64 {
	return k.meet(sharedLetters{}.phi(x), sharedLetters{}.phi(y))
}

func (k sharedLetters) PreparePoints(ctx context.Context, x, y data.Points[string]) Rectangle {
	return PreparePairs(ctx, x, y, k.phi, k.meet)
}

// Against the columns of a Base each column is mapped once for all rows, whatever is made of the
// kernel; a row once.
func TestPreparedColumnsAreMappedOnce(t *testing.T) {
	for name, of := range map[string]func(Kernel[string]) Kernel[string]{
		"itself":     func(k Kernel[string]) Kernel[string] { return k },
		"normalize":  Normalize[string],
		"tanimoto":   Tanimoto[string],
		"arccosine":  func(k Kernel[string]) Kernel[string] { return ArcCosine(k, 1, 2) },
		"substitute": func(k Kernel[string]) Kernel[string] { return Substitute(Gaussian{2}, k) },
		"sum": func(k Kernel[string]) Kernel[string] {
			return Sum(Scale(2, k), Normalize(k))
		},
	} {
		calls := 0
		base := NewBase(of(sharedLetters{&calls}), data.Points[string](texts))
		row := make([]float64, texts.Len())
		parts := 1
		if name == "sum" {
			parts = 2
		}
		for i, x := range []string{"not", "to", "be", "or not"} {
			calls = 0
			if err := base.Row(context.Background(), row, x); err != nil {
				t.Fatal(err)
			}
			want := parts // for x
			if i == 0 {
				want += parts * texts.Len()
			}
			if calls != want {
				t.Errorf("%s: row %d: %d points were mapped, want %d", name, i, calls, want)
			}
			for j, v := range row {
				if want := of(sharedLetters{}).Eval(x, texts[j]); math.Abs(v-want) > 1e-12 {
					t.Errorf("%s: k(%q, %q) is %g, want %g", name, x, texts[j], v, want)
				}
			}
		}
	}
}

// Rows of every kind of algebra, one after another in the memory of the one before, allocate
// nothing.
func TestRowsAllocateNothing(t *testing.T) {
	if datatest.Race {
		t.Skip("allocations are not counted under the race detector")
	}
	y := data.Points[Vec](data.Rows(mat.NewDense(50, 3, nil)))
	for i := range 50 {
		copy(y.At(i), Vec{float64(i % 7), float64(i) / 50, 1})
	}
	ctx := context.Background()
	for name, k := range map[string]Kernel[Vec]{
		"gaussian":   Gaussian{2},
		"laplace":    Laplace{2},
		"matern":     Matern{Nu: 2.5},
		"linear":     Linear{},
		"ard":        ARD{Gaussian{}, []float64{1, 2, 3}},
		"polynomial": Polynomial{Degree: 3, Offset: 1},
		"sum":        Sum[Vec](Gaussian{1}, Scale[Vec](2, Linear{})),
		"product":    Product[Vec](Gaussian{1}, Linear{}),
		"on":         On(Gaussian{1}, 0, 2),
	} {
		base, dst := NewBase(k, y), make([]float64, 50)
		rows := []Vec{{1, 2, 3}, {0, 0, 0}, {5, 0.1, 1}}
		at := 0
		if n := testing.AllocsPerRun(100, func() {
			at = (at + 1) % len(rows)
			if err := base.Row(ctx, dst, rows[at]); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %g allocations a row", name, n)
		}
		for j, v := range dst {
			if want := k.Eval(rows[at], y.At(j)); math.Abs(v-want) > 1e-11*(1+math.Abs(want)) {
				t.Errorf("%s: k(x, y%d) is %g, want %g", name, j, v, want)
			}
		}
	}
}

// A row of another range, or of another length, does not spoil the plan for those after it.
func TestRowsOfAnyRange(t *testing.T) {
	y := data.Points[Vec](data.Slice[Vec]{{1, 2}, {3, 4}, {-1, 0.5}})
	k := Sum[Vec](Gaussian{2}, Scale[Vec](1e-200, Linear{}))
	base, dst := NewBase(k, y), make([]float64, 3)
	for _, x := range []Vec{{1, 1}, {1e200, 2}, {1.5, 1}, {1e-200, 0}, {0, 0}, {2, 2}} {
		if err := base.Row(context.Background(), dst, x); err != nil {
			t.Fatal(err)
		}
		for j, v := range dst {
			if want := k.Eval(x, y.At(j)); math.Abs(v-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("k(%v, %v) is %g, want %g", x, y.At(j), v, want)
			}
		}
	}
}

// Normalising, substituting and comparing take k(x, x) from prepared points: each point is mapped
// once.
func TestSelfValuesOfPreparedPoints(t *testing.T) {
	others := data.Slice[string]{"not to be", "be", ""}
	for name, of := range map[string]func(Kernel[string]) Kernel[string]{
		"normalize":  Normalize[string],
		"tanimoto":   Tanimoto[string],
		"arccosine":  func(k Kernel[string]) Kernel[string] { return ArcCosine(k, 1, 2) },
		"substitute": func(k Kernel[string]) Kernel[string] { return Substitute(Gaussian{2}, k) },
	} {
		for _, y := range []data.Points[string]{texts, others} {
			calls := 0
			k := of(sharedLetters{&calls})
			got := mat.NewDense(texts.Len(), y.Len(), nil)
			if err := Block(context.Background(), k, got, data.Points[string](texts), y); err != nil {
				t.Fatal(err)
			}
			want := texts.Len()
			if y.Len() != want {
				want += y.Len()
			}
			if calls != want {
				t.Errorf("%s: %d points were mapped %d times", name, want, calls)
			}
			for i := range texts {
				for j := range y.Len() {
					if want := of(sharedLetters{}).Eval(texts[i], y.At(j)); math.Abs(got.At(i, j)-want) > 1e-12 {
						t.Errorf("%s: (%d, %d) is %g, want %g", name, i, j, got.At(i, j), want)
					}
				}
			}
		}
	}
}

func ExampleNewBase() {
	base := NewBase(Kernel[Vec](Linear{}), data.Points[Vec](data.Slice[Vec]{{1, 2}, {3, 4}}))
	row := mat.NewDense(1, 2, nil)
	for _, x := range []Vec{{1, 0}, {0, 1}} {
		tiles := base.Prepare(context.Background(), data.Slice[Vec]{x})
		tiles.Tile(row.RawMatrix(), 0, 0)
		fmt.Println(row.RawRowView(0))
	}
	// Output:
	// [1 3]
	// [2 4]
}

func ExampleBase_HasSums() {
	points := data.Points[Vec](data.Slice[Vec]{{1, 2}, {3, 4}})
	fmt.Println(NewBase(Kernel[Vec](Linear{}), points).HasSums())
	// Output: false
}

func ExampleBase_Erase() {
	base := NewBase(Kernel[Vec](Linear{}), data.Points[Vec](data.Slice[Vec]{{1, 2}, {3, 4}}))
	row := make([]float64, 2)
	err := base.Erase().Row(context.Background(), row, Vec{1, 0}) // the columns are those of base
	fmt.Println(row, err)
	// Output: [1 3] <nil>
}

func ExampleBase_Row() {
	base := NewBase(Kernel[Vec](Linear{}), data.Points[Vec](data.Slice[Vec]{{1, 2}, {3, 4}}))
	row := make([]float64, 2)
	for _, x := range []Vec{{1, 0}, {0, 1}} {
		if err := base.Row(context.Background(), row, x); err != nil {
			fmt.Println(err)
		}
		fmt.Println(row)
	}
	// Output:
	// [1 3]
	// [2 4]
}

func ExampleBase_RowSum() {
	columns := data.Points[Vec](data.Slice[Vec]{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {10}, {11}, {12}, {13},
		{14}, {15}})
	base, weights := NewBase(Kernel[Vec](Gaussian{Lengthscale: 0.1}), columns), make([]float64, 16)
	weights[3] = 2
	sum, ok, err := base.RowSum(context.Background(), Vec{3}, weights)
	if err == nil && !ok { // a processor without the instructions: by the row of values
		row := make([]float64, 16)
		err = base.Row(context.Background(), row, Vec{3})
		sum = 2 * row[3]
	}
	fmt.Printf("%.3f %v\n", sum, err)
	// Output: 2.000 <nil>
}

// longestShared is the length of the longer text, as a part of the longest of the columns.
type longestShared struct{ looked *int }

func (k longestShared) Eval(x, y string) float64 { return float64(min(len(x), len(y))) }

func (k longestShared) PreparePoints(ctx context.Context, x, y data.Points[string]) Rectangle {
	longest := Kept(ctx, y, func() int {
		*k.looked++
		longest := 0
		for i := range y.Len() {
			longest = max(longest, len(y.At(i)))
		}
		return longest
	})
	return PreparePairs(ctx, x, y, func(s string) int { return min(len(s), longest) },
		func(u, v int) float64 { return float64(min(u, v)) })
}

func ExampleKept() {
	looked := 0
	base := NewBase(Kernel[string](longestShared{&looked}), data.Points[string](texts))
	row := make([]float64, 3)
	for _, x := range []string{"note", "or"} {
		if err := base.Row(context.Background(), row, x); err != nil {
			fmt.Println(err)
		}
		fmt.Println(row)
	}
	fmt.Println("columns looked through:", looked)
	// Output:
	// [4 0 4]
	// [2 0 2]
	// columns looked through: 1
}
