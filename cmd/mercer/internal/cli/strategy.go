package cli

import (
	"strings"

	"github.com/mercer-ml/mercer/tune"
)

// strategies are the ways to search that --strategy names; nil is the search's
// own choice, a refined grid.
func strategies() map[string]tune.Strategy {
	return map[string]tune.Strategy{"grid": nil, "random": tune.Random{}, "bayes": tune.Bayes{}, "halving": tune.Halving{}}
}

func strategyNames() []string { return []string{"grid", "random", "bayes", "halving"} }

func strategy(name string) (tune.Strategy, error) {
	s, ok := strategies()[name]
	if !ok {
		return nil, usage("--strategy: %q%s; give %s", name, meant(name, strategyNames()),
			strings.Join(strategyNames(), ", "))
	}
	return s, nil
}
