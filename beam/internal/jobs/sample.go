package jobs

import (
	"cmp"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// keyOf is a number for each row, by seed, shard and place in it: those with the least are a draw
// without replacement in which all rows are equally likely, the same whatever worker reads which
// shard and however often. (The mixing is that of splitmix64: Steele, Lea and Flood 2014.)
func keyOf(seed uint64, shard, row int) uint64 {
	return mix(mix(seed^0x6d65726365720000) + mix(uint64(shard)+1)<<1 + uint64(row)*0x9e3779b97f4a7c15)
}

func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// FoldOf is the fold of a row.
func FoldOf(seed uint64, shard, row, folds int) int {
	return foldOfKey(keyOf(seed, shard, row), folds)
}

func foldOfKey(key uint64, folds int) int { return int(mix(key) % uint64(folds)) }

// reservoir keeps the rows of the least keys among those it is shown.
type reservoir struct {
	size  int
	keys  []uint64
	parts []*data.Dataset // rows in the order of keys
	most  uint64          // a key above does not matter any more
}

func newReservoir(size int) *reservoir { return &reservoir{size: size, most: ^uint64(0)} }

// show offers the rows of a chunk; key says the key of each, and false for those that are not to be
// drawn.
func (r *reservoir) show(d *data.Dataset, key func(i int) (uint64, bool)) error {
	var take []int
	for i := range d.Len() {
		if k, ok := key(i); ok && k <= r.most {
			take = append(take, i)
			r.keys = append(r.keys, k)
		}
	}
	if len(take) == 0 {
		return nil
	}
	r.parts = append(r.parts, d.Gather(take))
	if len(r.keys) >= 4*r.size+1024 {
		_, _, err := r.rows()
		return err
	}
	return nil
}

// rows is what was drawn, in the order of keys; nil where that is nothing.
func (r *reservoir) rows() ([]uint64, *data.Dataset, error) {
	if len(r.keys) == 0 {
		return nil, nil, nil
	}
	all, err := data.Concat(r.parts)
	if err != nil {
		return nil, nil, err
	}
	order := make([]int, len(r.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(r.keys[a], r.keys[b]), cmp.Compare(a, b)) })
	order = order[:min(len(order), r.size)]
	r.keys, all = data.Take(r.keys, order), all.Gather(order)
	r.parts = []*data.Dataset{all}
	if len(r.keys) == r.size {
		r.most = r.keys[r.size-1]
	}
	return r.keys, all, nil
}
