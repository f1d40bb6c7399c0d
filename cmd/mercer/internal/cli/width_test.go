package cli

import (
	"os/exec"
	"strings"
	"testing"
)

// widest is the longest of some lines, in columns.
func widest(text string) (line string) {
	for _, l := range strings.Split(text, "\n") {
		if len([]rune(l)) > len([]rune(line)) {
			line = l
		}
	}
	return line
}

// The leaderboard and the flags of a verb keep to the width that COLUMNS or
// the terminal says.
func TestOutputKeepsToTheWidth(t *testing.T) {
	drawn := map[string]string{}
	leaderboard := func(columns string) string {
		if text, ok := drawn[columns]; ok {
			return text
		}
		t.Setenv("COLUMNS", columns)
		text := run(t, t.TempDir(), "fit", "iris", "--learner", "svm,ridge", "--kernel",
			"gaussian(lengthscale=1) + matern(nu=1.5, lengthscale=1)", "--grid", "lambda=1", "--grid", "C=1",
			"--grid", "gaussian.lengthscale=1.2345", "--grid", "matern.lengthscale=0.6789", "--folds", "2", "--no-proba",
			"--report", "none")
		_, text, _ = strings.Cut(text, "learner ")
		text, _, _ = strings.Cut(text, "\nchosen")
		drawn[columns] = "  learner " + text
		return drawn[columns]
	}
	for columns, most := range map[string]int{"": 80, "60": 60, "110": 110} {
		if line := widest(leaderboard(columns)); len([]rune(line)) >= most {
			t.Errorf("COLUMNS=%s: %d columns: %s", columns, len([]rune(line)), line)
		}
	}
	if wide, usual := leaderboard("110"), leaderboard(""); strings.Count(wide, "\n") >= strings.Count(usual, "\n") {
		t.Errorf("110 columns are not used:\n%s", wide)
	}
	if narrow := leaderboard("60"); strings.Contains(narrow, " time") {
		t.Errorf("there is no room for the time in 60 columns:\n%s", narrow)
	}
	flags := func(columns string) string {
		t.Setenv("COLUMNS", columns)
		_, text, _ := strings.Cut(run(t, t.TempDir(), "fit", "--help"), "\nFlags:\n")
		return text
	}
	if line := widest(flags("72")); len([]rune(line)) > 72 {
		t.Errorf("COLUMNS=72: %d columns: %s", len([]rune(line)), line)
	}
	if strings.Count(flags("100"), "\n") >= strings.Count(flags("80"), "\n") {
		t.Error("flags do not use 100 columns")
	}
	t.Setenv("COLUMNS", "")
	needsTerminal(t)
	out, err := exec.Command("script", "-qefc", "stty cols 72; exec mercer fit --help", "/dev/null").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(strings.ReplaceAll(string(out), "\r", ""), "\nFlags:\n")
	if line := widest(text); len([]rune(line)) > 72 || line == "" {
		t.Errorf("on a terminal of 72 columns there are %d: %s", len([]rune(line)), line)
	}
}
