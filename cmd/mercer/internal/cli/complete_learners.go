package cli

import (
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/spf13/cobra"
)

// completeLearners offers names of learners, inside their parentheses names of parameters, and
// after an equals sign the words that one takes.
func completeLearners(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const more = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	var out []cobra.Completion
	open := strings.LastIndex(begun, "(")
	if open <= strings.LastIndex(begun, ")") { // outside of parentheses
		before := begun[:strings.LastIndex(begun, ",")+1]
		taken := strings.Split(before, ",")
		for _, name := range all.Names() {
			if l, _ := all.Described(name); !slices.Contains(taken, name) {
				out = append(out, cobra.CompletionWithDesc(before+name, l.Summary))
			}
		}
		return out, more
	}
	name := begun[:open]
	name = strings.TrimSpace(name[strings.LastIndex(name, ",")+1:])
	l, ok := all.Described(name)
	if !ok {
		return nil, more
	}
	at := max(open, strings.LastIndex(begun, ",")) + 1
	before := begun[:at]
	begins := strings.TrimSpace(begun[at:])
	seen := map[string]bool{}
	for _, task := range []data.Task{data.Multiclass, data.Regression} {
		for _, p := range l.ParamsFor(task) {
			switch own, value, equals := strings.Cut(begins, "="); {
			case equals && own == p.Name:
				for _, word := range p.Choices {
					if text := before + own + "=" + word; strings.HasPrefix(word, value) && !seen[text] {
						seen[text] = true
						out = append(out, text)
					}
				}
			case !equals && !seen[p.Name] && !strings.Contains(before, p.Name+"="):
				seen[p.Name] = true
				out = append(out, cobra.CompletionWithDesc(before+p.Name+"=", p.Summary))
			}
		}
	}
	return out, more
}
