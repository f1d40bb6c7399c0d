package csvio

import "testing"

func TestWordsOfAFile(t *testing.T) {
	for text, want := range map[string]byte{"": 0, "tab": '\t', `\t`: '\t', "\t": '\t', "space": ' ', ",": ',', ";": ';',
		"|": '|'} {
		if got, err := ParseDelimiter(text); err != nil || got != want {
			t.Errorf("delimiter %q: %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]byte{"": 0, ".": '.', ",": ','} {
		if got, err := ParseDecimal(text); err != nil || got != want {
			t.Errorf("decimal mark %q: %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]Header{"": HeaderAuto, "auto": HeaderAuto, "yes": HeaderYes, "no": HeaderNo} {
		if got, err := ParseHeader(text); err != nil || got != want {
			t.Errorf("header %q: %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestUnknownWordsOfAFileAreRefusedWithTheChoice(t *testing.T) {
	_, delimiter := ParseDelimiter(":")
	_, decimal := ParseDecimal("'")
	_, header := ParseHeader("maybe")
	for want, err := range map[string]error{
		`":"; give one of , ; | tab space`: delimiter, `"'"; give . or ,`: decimal,
		`"maybe"; give auto, yes, no, or 2 for two lines of names`: header,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
	}
}
