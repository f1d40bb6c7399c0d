package header

import (
	"fmt"
	"strings"
	"testing"
)

func TestJoin(t *testing.T) {
	for _, c := range []struct{ upper, lower, want string }{
		{"a,b", "s,kPa", "a s,b kPa"},
		{"Q1,,Q2,", "low,high,low,high", "Q1 low,Q1 high,Q2 low,Q2 high"},
		{"id,Q1,,note", ",low,high,", "id,Q1 low,Q1 high,note"},
		{",Q1", "shop,low", "shop,Q1 low"},
		{"a", "x,y", "a x,a y"},
		{"a,,", "x,,", "a x,,"},
		{"", "", ""},
	} {
		if got := strings.Join(Join(strings.Split(c.upper, ","), strings.Split(c.lower, ",")), ","); got != c.want {
			t.Errorf("%q above %q: %q, want %q", c.upper, c.lower, got, c.want)
		}
	}
}

func TestUnique(t *testing.T) {
	for _, c := range []struct{ names, want, said string }{
		{"a b", "[a b]", ""},
		{"a b a", "[a b a.2]", `column 3, a further "a", is called "a.2"`},
		{"a a a.2 a", "[a a.3 a.2 a.4]",
			`column 2, a further "a", is called "a.3"; column 4, a further "a", is called "a.4"`},
		{"a a a a a a", "[a a.2 a.3 a.4 a.5 a.6]", ""},
	} {
		names, said := Unique(strings.Fields(c.names))
		if got := fmt.Sprint(names); got != c.want || c.said != "" && said != c.said || c.said == "" &&
			strings.Count(c.names, "a") < 2 && said != "" {
			t.Errorf("%s: %s, %q", c.names, got, said)
		}
	}
}
