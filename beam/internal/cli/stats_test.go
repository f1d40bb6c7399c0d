package cli

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestStats: columns are told as mercer data tells them; samples of one distribution are not told
// apart, others are; a variable and its square are not independent.
func TestStats(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(3, 3))
	shard := func(name string, shift float64) {
		var b strings.Builder
		b.WriteString("u,v,noise,where\n")
		for i := range 150 {
			u := shift + rng.NormFloat64()
			gap := fmt.Sprintf("%.5g", rng.NormFloat64())
			fmt.Fprintf(&b, "%.5g,%.5g,%s,%s\n", u, u*u+0.1*rng.NormFloat64(), gap, []string{"north", "south"}[i%2])
		}
		put(t, filepath.Join(dir, name), b.String())
	}
	for i := range 2 {
		shard(fmt.Sprintf("a-%d.csv", i), 0)
		shard(fmt.Sprintf("b-%d.csv", i), 0)
		shard(fmt.Sprintf("c-%d.csv", i), 1)
	}
	put(t, filepath.Join(dir, "gap.csv"), "u,v,noise,where\n1,1,,north\n")
	out, _ := must(t, dir, "stats", "columns", "a-*.csv", "gap.csv", "--type", "where=categorical", "--quiet")
	for _, want := range []string{"3 shards: 301 rows", "2 levels: north, south", ", 1 missing"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"two-sample a-*.csv --against b-*.csv", "do not reject"},
		{"two-sample a-*.csv --against c-*.csv", "    reject at 5%"},
		{"independence a-*.csv --x u --y v", "    reject at 5%"},
		{"independence a-*.csv --x u --y noise", "do not reject"},
		{"two-sample a-*.csv --against b-*.csv --by blocks --runner loop", "do not reject"},
		{"two-sample a-*.csv --against c-*.csv --by blocks", "    reject at 5%"},
		{"independence a-*.csv --x u --y v --by blocks --block 25", "HSIC (mean of 12 blocks of 25)"},
		{"independence a-*.csv --x u --y noise --by blocks --runner loop", "do not reject"},
	} {
		out, _ := must(t, dir, append([]string{"stats"}, append(strings.Fields(c.args), "--type", "where=categorical",
			"--quiet")...)...)
		if !strings.Contains(out, c.want) {
			t.Errorf("%s:\n%s", c.args, out)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"stats two-sample a-*.csv", "--against"}, {"stats independence a-*.csv --x u", "--y"},
		{"stats independence a-*.csv --x u --y w --type where=categorical", `"w"`}, {"stats", "columns"},
		{"stats two-sample a-*.csv --against b-*.csv --by guess", "--by"},
		{"stats two-sample a-*.csv --against b-*.csv --by blocks --block 3", "--block"},
		{"stats two-sample a-*.csv --against b-*.csv --by blocks --block 1000 --type where=categorical --runner loop",
			"no block is full"},
		{"stats two-sample a-*.csv --against gap.csv --type where=categorical", "--missing"},
	} {
		if _, said, status := program(t, dir, strings.Fields(c.args)...); status != 2 || !strings.Contains(said, c.want) {
			t.Errorf("%s: status %d\n%s", c.args, status, said)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if len(left) > 0 {
		t.Errorf("folders of jobs are left: %v", left)
	}
}
