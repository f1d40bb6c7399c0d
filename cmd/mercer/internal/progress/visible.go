package progress

import "io"

// Visible is a stream on which the text of a stranger's file cannot move the cursor, change colours
// or rename the window: on a terminal, control characters other than those that end a line, begin
// it anew or go to the next stop are shown as pictures of themselves (␛). Elsewhere it is the
// stream itself.
func Visible(w io.Writer) io.Writer {
	if !IsTerminal(w) {
		return w
	}
	return visible{w}
}

type visible struct{ io.Writer }

// Unwrap is the stream itself.
func (v visible) Unwrap() io.Writer { return v.Writer }

// Write writes p, and says how much of it was written: all or, with an error, nothing.
func (v visible) Write(p []byte) (int, error) {
	shown := make([]byte, 0, len(p))
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\n' || c == '\r' || c == '\t':
			shown = append(shown, c)
		case c < 0x20:
			shown = append(shown, string(rune(0x2400)+rune(c))...)
		case c == 0x7f:
			shown = append(shown, "␡"...)
		// U+0080 to U+009F, which some terminals take for an escape and what follows it
		case c == 0xc2 && i+1 < len(p) && p[i+1] >= 0x80 && p[i+1] < 0xa0:
			shown = append(shown, "�"...)
			i++
		default:
			shown = append(shown, c)
		}
	}
	if _, err := v.Writer.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}
