package data

import (
	"strings"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// formatSequence writes a list of numbers, or [[…], […]] where steps have several.
func formatSequence(q []float64, channels int) string {
	var b strings.Builder
	if channels < 2 {
		writeNumbers(&b, q)
		return b.String()
	}
	b.WriteByte('[')
	for at := 0; at+channels <= len(q); at += channels {
		if at > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('[')
		writeNumbers(&b, q[at:at+channels])
		b.WriteByte(']')
	}
	b.WriteByte(']')
	return b.String()
}

func writeNumbers(b *strings.Builder, q []float64) {
	for i, x := range q {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(phrase.Number(x))
	}
}

// parseSequence reads numbers separated by commas, semicolons or blanks, with or without square
// brackets around them; or a list of such lists in brackets, all of one length: steps of several
// numbers.
func parseSequence(s string) (q []float64, channels int, ok bool) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	if !strings.HasPrefix(s, "[") {
		q, ok = appendNumbers([]float64{}, s)
		return q, 1, ok
	}
	q = []float64{}
	for s != "" {
		end := strings.IndexByte(s, ']')
		if s[0] != '[' || end < 0 {
			return nil, 0, false
		}
		before := len(q)
		if q, ok = appendNumbers(q, s[1:end]); !ok {
			return nil, 0, false
		}
		if step := len(q) - before; channels == 0 {
			channels = step
		} else if step != channels {
			return nil, 0, false
		}
		rest := strings.TrimLeft(s[end+1:], " \t")
		if rest != "" {
			if rest[0] != ',' && rest[0] != ';' {
				return nil, 0, false
			}
			rest = strings.TrimLeft(rest[1:], " \t")
		}
		s = rest
	}
	return q, channels, channels > 0
}

// appendNumbers reads numbers with commas, semicolons or blanks between them.
func appendNumbers(q []float64, s string) ([]float64, bool) {
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' || r == ' ' || r == '\t' }) {
		a, ok := cutAmount(f)
		x, read := a.read(form{decimal: '.'})
		if !ok || !read || a.unit != "" {
			return nil, false
		}
		q = append(q, x)
	}
	return q, true
}
