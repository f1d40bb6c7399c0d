package promtext

import (
	"math"
	"slices"
	"strconv"
)

// Append writes a family: its help, its type, and its series in the order of their labels. A family
// without series is left out.
func (f *Family) Append(b []byte) []byte {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if len(f.series) == 0 {
		return b
	}
	keys := make([]string, 0, len(f.series))
	for key := range f.series {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	b = appendHead(b, f.name, f.help, f.kind)
	for _, key := range keys {
		s := f.series[key]
		if f.kind == "histogram" {
			b = s.appendBuckets(b, f.name, key)
		} else {
			b = appendLine(b, f.name, key, math.Float64frombits(s.value.Load()))
		}
	}
	return b
}

// appendBuckets writes a histogram: a bucket has what is counted in those below it, too, and the
// last has all. The count is taken from the buckets, so that they agree however many observe
// meanwhile.
func (s *Series) appendBuckets(b []byte, name, key string) []byte {
	sum := math.Float64frombits(s.value.Load())
	comma := ""
	if key != "" {
		comma = ","
	}
	var count uint64
	for i := range s.counts {
		bound := math.Inf(1)
		if i < len(s.bounds) {
			bound = s.bounds[i]
		}
		count += s.counts[i].Load()
		le := string(strconv.AppendFloat(nil, bound, 'g', -1, 64))
		b = appendLine(b, name+"_bucket", key+comma+`le="`+le+`"`, float64(count))
	}
	b = appendLine(b, name+"_sum", key, sum)
	return appendLine(b, name+"_count", key, float64(count))
}

func appendHead(b []byte, name, help, kind string) []byte {
	b = append(append(append(b, "# HELP "...), name...), ' ')
	b = append(append(b, escapeHelp.Replace(help)...), '\n')
	b = append(append(append(b, "# TYPE "...), name...), ' ')
	return append(append(b, kind...), '\n')
}

// appendLine writes a sample. Numbers have the shortest text that reads as the same number; +Inf
// and NaN are written as Go writes them.
func appendLine(b []byte, name, labels string, x float64) []byte {
	b = append(b, name...)
	if labels != "" {
		b = append(append(append(b, '{'), labels...), '}')
	}
	return append(strconv.AppendFloat(append(b, ' '), x, 'g', -1, 64), '\n')
}

// AppendOne writes a family of one number that is known only now.
func AppendOne(b []byte, name, help, kind string, x float64) []byte {
	return appendLine(appendHead(b, name, help, kind), name, "", x)
}
