package main

import (
	"regexp"
	"strings"
)

// What is raised and lowered in the formulas of the pages: in braces, or one sign behind a letter
// or a bracket that stands alone.
var (
	pieces  = regexp.MustCompile(`(?s)<[^>]*>|[^<]+`)
	braced  = regexp.MustCompile(`([\^_])\{([^}]*)\}`)
	raised  = regexp.MustCompile(`([\pL)‖])\^([\pL\d])`)
	lowered = regexp.MustCompile(`(^|[^\pL\d_])(\pL)_([\pL\d])($|[^\pL\d_])`)
)

// typeset sets the formulas of a page ahead, so that no script has to: x^{n} and K_ν in its text
// become raised and lowered, what is code stays.
func typeset(html []byte) []byte {
	code := 0
	return pieces.ReplaceAllFunc(html, func(b []byte) []byte {
		s := string(b)
		switch {
		case strings.HasPrefix(s, "<code") || strings.HasPrefix(s, "<pre"):
			code++
		case strings.HasPrefix(s, "</code") || strings.HasPrefix(s, "</pre"):
			code--
		case s[0] != '<' && code == 0:
			s = braced.ReplaceAllStringFunc(s, func(m string) string {
				tag := map[byte]string{'^': "sup", '_': "sub"}[m[0]]
				return "<" + tag + ">" + m[2:len(m)-1] + "</" + tag + ">"
			})
			s = raised.ReplaceAllString(s, "$1<sup>$2</sup>")
			s = lowered.ReplaceAllString(s, "$1$2<sub>$3</sub>$4")
			return []byte(s)
		}
		return b
	})
}
