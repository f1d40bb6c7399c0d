package csvio

import (
	"bytes"
	"strings"
)

// sample splits up to most records; lines and after are the line ends and bytes
// through the end of each. An incomplete last record is left out.
func sample(text string, delimiter byte, whole bool, most int) (records [][]string, lines, after []int) {
	pos, line := 0, 0
	for pos < len(text) && len(records) < most {
		fields, end, ok := splitRecord(text[pos:], delimiter, whole)
		if !ok {
			break
		}
		line += strings.Count(text[pos:pos+end], "\n")
		pos += end
		if len(fields) == 1 && strings.TrimSpace(fields[0]) == "" {
			continue // a blank line
		}
		records, lines, after = append(records, fields), append(lines, line), append(after, pos)
	}
	return records, lines, after
}

// splitRecord splits the first record of text, plainly; the parser of blocks
// is the fast way. Fields without quotes are parts of text.
func splitRecord(text string, delimiter byte, whole bool) (fields []string, end int, ok bool) {
	line := text
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		line = text[:end]
	}
	fields = make([]string, 0, strings.Count(line, string(rune(delimiter)))+1) // a million, in some files
	i := 0
	skipBlanks := func() {
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
	}
	if delimiter == ' ' {
		skipBlanks()
	}
	for {
		if i < len(text) && text[i] == '"' {
			var b []byte
			i++
			for {
				j := strings.IndexByte(text[i:], '"')
				if j < 0 {
					return nil, 0, false
				}
				b = append(b, text[i:i+j]...)
				i += j + 1
				if i < len(text) && text[i] == '"' {
					b = append(b, '"')
					i++
					continue
				}
				break
			}
			for i < len(text) && text[i] != delimiter && text[i] != '\n' {
				if text[i] != '\r' && text[i] != ' ' {
					b = append(b, text[i])
				}
				i++
			}
			fields = append(fields, string(b))
		} else {
			from := i
			for i < len(text) && text[i] != delimiter && text[i] != '\n' && !(delimiter == ' ' && text[i] == '\t') {
				i++
			}
			fields = append(fields, strings.TrimSuffix(text[from:i], "\r"))
		}
		if i >= len(text) {
			return fields, i, whole
		}
		if text[i] == '\n' {
			if n := len(fields); delimiter == ' ' && n > 1 && fields[n-1] == "" {
				fields = fields[:n-1]
			}
			return fields, i + 1, true
		}
		i++
		if delimiter == ' ' {
			skipBlanks()
		}
	}
}

// openQuote is the line of the last quote where quotes do not come in pairs,
// else 0.
func openQuote(text []byte) int {
	quote := []byte{'"'}
	if bytes.Count(text, quote)%2 == 0 {
		return 0
	}
	open, at := false, 0
	for i, line := range bytes.Split(text, newline) {
		if bytes.Count(line, quote)%2 == 1 {
			if open = !open; open {
				at = i + 1
			}
		}
	}
	return at
}

// fieldsOf counts the fields of the first record of a text; 0: a quote in it is never closed. Those
// of very many are counted by what divides them, in quotes or not.
func fieldsOf(text []byte, delimiter byte) int {
	const most = 1 << 16
	line := text
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		line = text[:end]
	}
	if n := bytes.Count(line, []byte{delimiter}); n > most {
		return n + 1
	}
	fields, _, _ := splitRecord(string(text), delimiter, true)
	return len(fields)
}
