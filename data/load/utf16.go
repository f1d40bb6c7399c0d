package load

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
)

// utf16Text is a text in UTF-16 as one in UTF-8.
type utf16Text struct {
	r     *bufio.Reader
	name  string
	order binary.ByteOrder // nil: not known yet
	text  []byte           // decoded, not yet given out
	err   error            // behind text
}

func newUTF16(r io.Reader, name string) *utf16Text {
	return &utf16Text{r: bufio.NewReaderSize(r, 1<<15), name: name}
}

func (u *utf16Text) Read(p []byte) (int, error) {
	if len(u.text) == 0 && u.err == nil {
		u.decode()
	}
	if len(u.text) == 0 {
		return 0, u.err
	}
	n := copy(p, u.text)
	u.text = u.text[n:]
	return n, nil
}

// decode takes some units. The mark at the start says in which order their bytes are.
func (u *utf16Text) decode() {
	if u.order == nil {
		mark, err := u.unit(binary.LittleEndian)
		if u.order = binary.LittleEndian; mark == 0xfffe {
			u.order = binary.BigEndian
		}
		if u.err = err; err != nil {
			return
		}
	}
	u.text = u.text[:0]
	for len(u.text) < 1<<15 {
		c, err := u.unit(u.order)
		if utf16.IsSurrogate(c) && err == nil {
			var low rune
			if low, err = u.unit(u.order); err == nil || err == io.EOF {
				if c = utf16.DecodeRune(c, low); c == utf8.RuneError {
					err = u.fault("half of a letter without the other")
				}
			}
		}
		if u.err = err; err != nil {
			return
		}
		u.text = utf8.AppendRune(u.text, c)
	}
}

// unit reads two bytes.
func (u *utf16Text) unit(order binary.ByteOrder) (rune, error) {
	var b [2]byte
	if _, err := io.ReadFull(u.r, b[:]); err == io.ErrUnexpectedEOF {
		return 0, u.fault("an odd number of bytes")
	} else if err != nil {
		return 0, err
	}
	return rune(order.Uint16(b[:])), nil
}

func (u *utf16Text) fault(what string) error {
	return &data.Error{File: u.name, Kind: data.ErrFormat, Reason: "this begins as UTF-16 text and is none: " + what,
		Advice: "save it as UTF-8"}
}
