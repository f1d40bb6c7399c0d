package data

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/mend"
)

// Remedy is the option that mends a fault of data. It is a code, not a text: a program that has
// flags, a form or a protocol names the option as its users know it: "" where there is none, else one
// of "missing", "unseen" and "text" (policies), "target", "scaling", "map", "rows", "header",
// "names", "na", "kind", "delimiter", "format", "encoding", "dates", "numbers", "ignore", "groups",
// "order", "memory" and "temp".
type Remedy string

// words says the remedy with the names of this module's options.
func (r Remedy) words(e *Error) string {
	switch r {
	case mend.Missing:
		return "set EncoderOptions.Missing to \"drop\", \"mean\" or \"indicator\""
	case mend.Unseen:
		return "set EncoderOptions.Unseen to \"zero\" to encode it as none of them"
	case mend.Target:
		return "choose another target"
	case mend.Scaling:
		return "correct the value, or set EncoderOptions.Scaling to \"none\""
	case mend.Text:
		return "set EncoderOptions.Text to \"keep\", which keeps it as strings"
	case mend.Rows:
		return "add rows; if the first line is data, read it with HeaderNo"
	case mend.Header:
		return "if the first line is data, read it with HeaderNo"
	case mend.NA:
		return fmt.Sprintf("correct it, or count it as missing: add %q to NA", e.Value)
	case mend.Kind:
		return fmt.Sprintf("correct it, count it as missing (add %q to NA), or take the column as categories (tell it "+
			"Notation{Kind: Categorical})", e.Value)
	case mend.Delimiter:
		return fmt.Sprintf("quote fields that hold %s, or set Delimiter", e.Value)
	case mend.Format:
		return "set Format, or check the file"
	case mend.Memory:
		return "raise Bytes, or give fewer rows or columns"
	case mend.Dates:
		return fmt.Sprintf("say the order: Notation{Kind: Time, Order: \"dmy\"} for %q", e.Column)
	case mend.Numbers:
		return fmt.Sprintf("say the decimal mark: Notation{Kind: Numeric, Decimal: \",\"} for %q", e.Column)
	case mend.Ignore:
		return fmt.Sprintf("leave it out: add %q to Ignore", e.Column)
	case mend.Encoding:
		return "set Encoding to the one that it was saved in"
	case mend.Temp:
		return "name a folder on a disk with more room"
	case mend.Map:
		return "map the target by \"rank\", or not at all"
	case mend.Groups:
		return fmt.Sprintf("keep the rows of each together: set Groups to %q", e.Column)
	case mend.Names:
		return "read one line of names with HeaderYes, two with HeaderTwo"
	case mend.Order:
		return fmt.Sprintf("test on the last ones: set Order to %q", e.Column)
	}
	return ""
}
