package csvio

import (
	"fmt"
	"strings"
)

// ParseDelimiter reads the byte between fields as a person writes it; nothing is 0, found from the
// content.
func ParseDelimiter(text string) (byte, error) {
	switch {
	case text == "":
		return 0, nil
	case text == "tab" || text == `\t`:
		return '\t', nil
	case text == "space":
		return ' ', nil
	case len(text) == 1 && strings.Contains(",;|\t ", text):
		return text[0], nil
	}
	return 0, fmt.Errorf("%q; give one of , ; | tab space", text)
}

// ParseDecimal reads a decimal mark; nothing is 0, found from the content.
func ParseDecimal(text string) (byte, error) {
	switch text {
	case "":
		return 0, nil
	case ".", ",":
		return text[0], nil
	}
	return 0, fmt.Errorf("%q; give . or ,", text)
}

// ParseHeader reads whether the first line holds the names of columns, or the first two do; nothing
// is auto.
func ParseHeader(text string) (Header, error) {
	switch text {
	case "auto", string(HeaderAuto):
		return HeaderAuto, nil
	case string(HeaderYes), "1":
		return HeaderYes, nil
	case string(HeaderTwo):
		return HeaderTwo, nil
	case string(HeaderNo):
		return HeaderNo, nil
	}
	return HeaderAuto, fmt.Errorf("%q; give auto, yes, no, or 2 for two lines of names", text)
}
