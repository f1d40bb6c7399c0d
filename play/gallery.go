package play

import "context"

func gallery(_ context.Context, _ *Player, _ nothingAsked, send sender) error {
	return send("gallery", []int{})
}
