package linalg

import (
	"os"
	"strconv"
)

func init() {
	if v, _ := strconv.Atoi(os.Getenv("NB")); v > 0 {
		tileOrder = v
	}
	if v, _ := strconv.Atoi(os.Getenv("SL")); v > 0 {
		tileSlice = v
	}
	if v, _ := strconv.Atoi(os.Getenv("MOST")); v > 0 {
		tiledMost = v
	}
}
