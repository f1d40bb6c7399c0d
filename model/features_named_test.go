package model

import "testing"

// Weights of features that are named by places in an alphabet are refused: the kernel has other
// names now, and they would count for nothing.
func TestFeaturesNamedByPlacesAreRefused(t *testing.T) {
	for _, c := range []struct {
		kernel string
		names  []string
		want   bool
	}{
		{`mismatch(k=2,m=1,alphabet="ACGT") on s`, []string{"\x00\x01", "\x02\x02"}, true},
		{`0.5*gappypairs(k=1,gap=4) on s`, []string{"AC", "A\x04C"}, true},
		{`mismatch(k=2,m=1,alphabet="ACGT") on s`, []string{"AC", "GT"}, false},
		{`ngrams(k=2) on s`, []string{"a\x01"}, false}, // a letter of the text
		{`gappypairs(k=1,gap=4) on s`, []string{"A…2…\t"}, false},
	} {
		if got := namedByPlaces(c.kernel, c.names); got != c.want {
			t.Errorf("%s %q: %v", c.kernel, c.names, got)
		}
	}
}
