package jobs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
	"gonum.org/v1/gonum/mat"
)

// table is rows of numbers in shards of some sizes, surveyed; gap leaves every so many values of
// the first column out.
type table struct {
	shards []string
	layout load.Layout
	seen   *Surveyed
	folder string
}

func newTable(t *testing.T, sizes []int, sample, gap int, row func(i int) []float64) *table {
	t.Helper()
	ctx, made := context.Background(), &table{folder: t.TempDir()}
	at := 0
	for s, n := range sizes {
		var text strings.Builder
		text.WriteString("u,v\n")
		for range n {
			r := row(at)
			if gap > 0 && at%gap == gap-1 {
				fmt.Fprintf(&text, ",%g\n", r[1])
			} else {
				fmt.Fprintf(&text, "%g,%g\n", r[0], r[1])
			}
			at++
		}
		made.shards = append(made.shards, filepath.Join(made.folder, fmt.Sprintf("%d.csv", s)))
		if err := os.WriteFile(made.shards[s], []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	open, err := load.OpenTable(ctx, made.shards[0], load.Options{NoTarget: true}, made.folder)
	if err != nil {
		t.Fatal(err)
	}
	made.layout = open.Layout()
	open.Close()
	j := made.job("survey")
	made.seen, err = j.SurveyShards(ctx, &Plan{Shards: made.shards, Threads: 1,
		Survey: &Survey{Layout: made.layout, Encoder: data.EncoderOptions{Missing: "drop", Scaling: "none"},
			Sample: sample, Seed: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (b *table) job(name string) *Job {
	return &Job{Engine: Engine{Runner: Loop}, Folder: filepath.Join(b.folder, name), Name: name}
}

// TestBlocksThroughShards: however the rows of two samples are cut into files, with rows that are
// left out among them, the blocks are those of the rows in their order; those of two variables are
// of the rows of a shard.
func TestBlocksThroughShards(t *testing.T) {
	ctx := context.Background()
	const gap, size = 11, 7
	rng := rand.New(rand.NewPCG(1, 1))
	rows := make([][]float64, 200)
	for i := range rows {
		rows[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	k := kernel.Gaussian{Lengthscale: 1}
	points := func(lo, hi int) data.Points[kernel.Vec] { // without the rows that have gaps
		var out data.Slice[kernel.Vec]
		for i := lo; i < hi; i++ {
			if i%gap != gap-1 {
				out = append(out, rows[i])
			}
		}
		return out
	}
	whole := Variable{Features: []int{0, 1}, Kernel: "gaussian(lengthscale=1)"}
	for _, c := range []struct {
		sizes  []int
		second int
	}{{[]int{30, 50, 1, 9, 60, 30}, 4}, {[]int{90, 20, 20, 20, 30}, 1}, {[]int{5, 5, 5, 100}, 3}} {
		b := newTable(t, c.sizes, 5, gap, func(i int) []float64 { return rows[i] })
		plan := &Plan{Shards: b.shards, Threads: 1, Blocks: &Blocks{Layout: b.layout, Encoder: b.seen.Encoder,
			Variables: []Variable{whole}, Size: size, Kept: b.seen.KeptBy, Second: c.second}}
		got, err := b.job("two").SumBlocks(ctx, plan)
		if err != nil {
			t.Fatal(err)
		}
		first, all := 0, 0
		for s, n := range c.sizes {
			if all += n; s < c.second {
				first += n
			}
		}
		x, y, want := points(0, first), points(first, all), &stat.Blocks{}
		for lo := 0; lo+size <= min(x.Len(), y.Len()); lo += size {
			if err := (stat.MMD[kernel.Vec]{Kernel: k}).AddBlock(ctx, want, data.Span(x, lo, lo+size),
				data.Span(y, lo, lo+size)); err != nil {
				t.Fatal(err)
			}
		}
		same(t, fmt.Sprint(c.sizes), got, want)
		plan.Blocks.Second, want = 0, &stat.Blocks{}
		plan.Blocks.Variables = []Variable{{Features: []int{0}, Kernel: whole.Kernel},
			{Features: []int{1}, Kernel: whole.Kernel}}
		if got, err = b.job("one").SumBlocks(ctx, plan); err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, n := range c.sizes {
			p := points(at, at+n)
			at += n
			for lo := 0; lo+size <= p.Len(); lo += size {
				u, v := mat.NewDense(size, 1, nil), mat.NewDense(size, 1, nil)
				for i := range size {
					u.Set(i, 0, p.At(lo + i)[0])
					v.Set(i, 0, p.At(lo + i)[1])
				}
				if err := (stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k}).AddBlock(ctx, want, data.Rows(u),
					data.Rows(v)); err != nil {
					t.Fatal(err)
				}
			}
		}
		same(t, fmt.Sprint("variables ", c.sizes), got, want)
	}
}

func same(t *testing.T, what string, got, want *stat.Blocks) {
	t.Helper()
	near := func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }
	if got.Count != want.Count || got.Rows != want.Rows || want.Count == 0 || !near(got.Sum, want.Sum) ||
		!near(got.Variance, want.Variance) || !near(got.Mean, want.Mean) {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

// TestLeverageDrawsThoseWhoStandAlone: of a cloud of points that are as good as one and some that
// stand alone these are drawn, from whatever shard; for each kernel its own.
func TestLeverageDrawsThoseWhoStandAlone(t *testing.T) {
	const n, alone = 600, 12
	rng := rand.New(rand.NewPCG(4, 4))
	b := newTable(t, []int{200, 250, 150}, 60, 0, func(i int) []float64 {
		if i%50 == 7 {
			return []float64{10 + 8*float64(i/50%4), 10 + 8*float64(i/200)}
		}
		return []float64{0.05 * rng.NormFloat64(), 0.05 * rng.NormFloat64()}
	})
	sample, err := b.seen.Encode()
	if err != nil {
		t.Fatal(err)
	}
	draw := func(name string) []data.Points[kernel.Vec] {
		v := &Leverage{Layout: b.layout, Encoder: b.seen.Encoder,
			Kernels: []string{"gaussian(lengthscale=1)", "gaussian(lengthscale=0.005)"}, Rows: b.seen.Kept, Count: 30, Seed: 3}
		out, err := b.job(name).DrawByLeverage(context.Background(), &Plan{Shards: b.shards, Threads: 1, Leverage: v}, sample,
			0)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	found := draw("first")
	count := 0
	for i := range found[0].Len() {
		if found[0].At(i)[0] > 5 {
			count++
		}
	}
	if found[0].Len() != 30 || count < 9 { // a uniform draw has 0.6 of them in the mean
		t.Errorf("%d of %d who stand alone are among %d centres", count, alone, found[0].Len())
	}
	if fmt.Sprint(found[0]) == fmt.Sprint(found[1]) {
		t.Error("to a narrow kernel all stand alone, and the draw is the same")
	}
	if again := draw("again"); fmt.Sprint(again) != fmt.Sprint(found) {
		t.Error("another draw the second time")
	}
}
