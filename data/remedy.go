package data

import "fmt"

// Remedy is the option that mends a fault of data. It is a code, not a text: a program that has
// flags, a form or a protocol names the option as its users know it.
type Remedy uint8

// The remedies.
const (
	NoRemedy        Remedy = iota
	RemedyMissing          // a policy for missing values
	RemedyUnseen           // a policy for categories that were not seen
	RemedyTarget           // another column as the target
	RemedyScaling          // no scaling
	RemedyText             // another policy for text
	RemedyRows             // rows, or to read the first line as one
	RemedyHeader           // to read the first line as data
	RemedyNA               // to count the value as missing
	RemedyKind             // to count the value as missing, or another kind for the column
	RemedyDelimiter        // another delimiter than that of the error's Value
	RemedyFormat           // another format
	RemedyMemory           // more memory
	RemedyDates            // the order of day and month in the error's Column
	RemedyNumbers          // the decimal mark of the error's Column
	RemedyIgnore           // to leave the error's Column out
	RemedyEncoding         // the encoding of the text
	RemedyTemp             // another place for files that are made in the course of the work
	RemedyMap              // another map of the target, or none
	RemedyGroups           // to keep rows with the same value of the error's Column together
	RemedyOrder            // to test on the last rows by the error's Column
	RemedyNames            // to take one line for the names of columns, or two
)

// Remedies lists the codes, for a program that has words for each.
func Remedies() []Remedy {
	var all []Remedy
	for r := RemedyMissing; r <= RemedyNames; r++ {
		all = append(all, r)
	}
	return all
}

// words says the remedy with the names of this module's options.
func (r Remedy) words(e *Error) string {
	switch r {
	case RemedyMissing:
		return "set EncoderOptions.Missing to MissingDrop, MissingMean or MissingIndicator"
	case RemedyUnseen:
		return "set EncoderOptions.Unseen to UnseenZero to encode it as none of them"
	case RemedyTarget:
		return "choose another target"
	case RemedyScaling:
		return "correct the value, or set EncoderOptions.Scaling to NoScaling"
	case RemedyText:
		return "set EncoderOptions.Text to TextKeep, which keeps it as strings"
	case RemedyRows:
		return "add rows; if the first line is data, read it with HeaderNo"
	case RemedyHeader:
		return "if the first line is data, read it with HeaderNo"
	case RemedyNA:
		return fmt.Sprintf("correct it, or count it as missing: add %q to NA", e.Value)
	case RemedyKind:
		return fmt.Sprintf("correct it, count it as missing (add %q to NA), or take the column as categories (tell it "+
			"Notation{Kind: Categorical})", e.Value)
	case RemedyDelimiter:
		return fmt.Sprintf("quote fields that hold %s, or set Delimiter", e.Value)
	case RemedyFormat:
		return "set Format, or check the file"
	case RemedyMemory:
		return "raise Bytes, or give fewer rows or columns"
	case RemedyDates:
		return fmt.Sprintf("say the order: Notation{Kind: Time, Order: \"dmy\"} for %q", e.Column)
	case RemedyNumbers:
		return fmt.Sprintf("say the decimal mark: Notation{Kind: Numeric, Decimal: \",\"} for %q", e.Column)
	case RemedyIgnore:
		return fmt.Sprintf("leave it out: add %q to Ignore", e.Column)
	case RemedyEncoding:
		return "set Encoding to the one that it was saved in"
	case RemedyTemp:
		return "name a folder on a disk with more room"
	case RemedyMap:
		return "map the target by MapRank, or not at all"
	case RemedyGroups:
		return fmt.Sprintf("keep the rows of each together: set Groups to %q", e.Column)
	case RemedyNames:
		return "read one line of names with HeaderYes, two with HeaderTwo"
	case RemedyOrder:
		return fmt.Sprintf("test on the last ones: set Order to %q", e.Column)
	}
	return ""
}
