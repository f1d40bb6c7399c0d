package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxDepth is how deep lists and objects of a request may lie in each other. The protocol has five
// levels, and tensors a level for each dimension.
const maxDepth = 64

// scanner reads JSON a value at a time, in place: a request is mostly one long list of numbers,
// which need not become a tree of values first. It takes what encoding/json takes, and refuses the
// rest with the byte where it stands.
type scanner struct {
	b     []byte
	i     int
	depth int
}

// syntaxError is a fault of JSON.
type syntaxError struct {
	at   int // byte, from 1
	what string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("byte %d of the JSON: %s", e.at, e.what) }

func (s *scanner) fail(format string, args ...any) error {
	return &syntaxError{s.i + 1, fmt.Sprintf(format, args...)}
}

// next skips blanks and gives the byte that a value starts with; 0 at the end.
func (s *scanner) next() byte {
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// expect takes one byte after blanks.
func (s *scanner) expect(c byte) error {
	if s.next() != c || s.i == len(s.b) {
		return s.fail("%q is needed here", string(rune(c)))
	}
	s.i++
	return nil
}

// end refuses what comes after the value.
func (s *scanner) end() error {
	if s.next(); s.i < len(s.b) {
		return s.fail("more after the end")
	}
	return nil
}

func (s *scanner) enter() error {
	if s.depth++; s.depth > maxDepth {
		return s.fail("nested deeper than %d levels", maxDepth)
	}
	return nil
}

// object reads an object; each is called where the value of a member begins, and reads it. A member
// that comes twice is refused.
func (s *scanner) object(each func(key string) error) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer func() { s.depth-- }()
	if s.next() == '}' {
		s.i++
		return nil
	}
	var few [8]string
	seen := few[:0]
	for {
		at := s.i
		key, err := s.text()
		if err != nil {
			return err
		}
		for _, k := range seen {
			if k == key {
				s.i = at
				return s.fail("member %q stands twice", clip(key))
			}
		}
		if len(seen) == maxMembers {
			return s.fail("more than %d members in an object", maxMembers)
		}
		seen = append(seen, key)
		if err := s.expect(':'); err != nil {
			return err
		}
		if err := each(key); err != nil {
			return err
		}
		if s.next() == ',' {
			s.i++
			continue
		}
		return s.expect('}')
	}
}

// maxMembers bounds the members of an object: the protocol has seven and the parameters.
const maxMembers = 256

// list reads a list; each is called where an element begins, and reads it.
func (s *scanner) list(each func() error) error {
	if err := s.expect('['); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer func() { s.depth-- }()
	if s.next() == ']' {
		s.i++
		return nil
	}
	for {
		if err := each(); err != nil {
			return err
		}
		if s.next() == ',' {
			s.i++
			continue
		}
		return s.expect(']')
	}
}

// text reads a string.
func (s *scanner) text() (string, error) {
	if s.next() != '"' {
		return "", s.fail("a string is needed here")
	}
	from := s.i
	s.i++
	plain := true
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			inside := s.b[from+1 : s.i-1]
			if plain && utf8.Valid(inside) {
				return string(inside), nil
			}
			return s.escaped(from)
		case c == '\\':
			plain = false
			s.i += 2
		case c < ' ':
			return "", s.fail("a control character in a string")
		default:
			s.i++
		}
	}
	s.i = from
	return "", s.fail("a string without an end")
}

// escaped reads the string from byte from on that has escapes, or is not UTF-8.
func (s *scanner) escaped(from int) (string, error) {
	raw := s.b[from:s.i]
	var out string
	if !utf8.Valid(raw) {
		s.i = from
		return "", s.fail("a string that is not UTF-8")
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		s.i = from
		return "", s.fail("a string with an escape that JSON does not have")
	}
	return out, nil
}

// numeral reads the bytes of a number, by the grammar of JSON.
func (s *scanner) numeral() ([]byte, error) {
	s.next()
	from, b := s.i, s.b
	i := from
	digits := func() bool {
		start := i
		for i < len(b) && b[i]-'0' < 10 {
			i++
		}
		return i > start
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	ok := true
	if i < len(b) && b[i] == '0' {
		i++
	} else {
		ok = digits()
	}
	if ok && i < len(b) && b[i] == '.' {
		i++
		ok = digits()
	}
	if ok && i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		ok = digits()
	}
	if !ok {
		return nil, s.fail("a number is needed here")
	}
	s.i = i
	return b[from:i], nil
}

// number reads a number as float64.
func (s *scanner) number() (float64, error) {
	raw, err := s.numeral()
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		s.i -= len(raw)
		return 0, s.fail("%s is beyond the range of 64-bit numbers", clip(string(raw)))
	}
	return x, nil
}

// whole reads a whole number.
func (s *scanner) whole() (int64, error) {
	raw, err := s.numeral()
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		s.i -= len(raw)
		return 0, s.fail("%s is not a whole number of 64 bits", clip(string(raw)))
	}
	return x, nil
}

// word takes true, false or null.
func (s *scanner) word(w string) bool {
	if s.next(); len(s.b)-s.i >= len(w) && string(s.b[s.i:s.i+len(w)]) == w {
		s.i += len(w)
		return true
	}
	return false
}

// truth reads true or false.
func (s *scanner) truth() (bool, error) {
	switch {
	case s.word("true"):
		return true, nil
	case s.word("false"):
		return false, nil
	}
	return false, s.fail("true or false is needed here")
}

// skip passes over a value.
func (s *scanner) skip() error {
	switch s.next() {
	case '{':
		return s.object(func(string) error { return s.skip() })
	case '[':
		return s.list(s.skip)
	case '"':
		_, err := s.text()
		return err
	case 't', 'f':
		_, err := s.truth()
		return err
	case 'n':
		if s.word("null") {
			return nil
		}
		return s.fail("a value is needed here")
	}
	_, err := s.numeral()
	return err
}

// asSyntax gives the fault of a part of the request its place in the whole.
func asSyntax(err error, before int) error {
	var e *syntaxError
	if errors.As(err, &e) {
		return &syntaxError{e.at + before, e.what}
	}
	return err
}

// clip shortens what a client sent for a message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// appendText writes a string as JSON.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b = append(append(b, s[from:i]...), `\ufffd`...)
				from = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && c != '<' { // < so that an answer in a page starts no element
			i++
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		default:
			const hex = "0123456789abcdef"
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}
