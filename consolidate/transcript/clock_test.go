package transcript

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A clock reads what a record's time is, whatever it read before.
func TestClock(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	odd := []string{
		`""`, `null`, `"soon"`, `"2026-11-18T09:14:60.000Z"`, `"2026-11-18T09:14:03.123z"`, `"2026-11-18T09:14:03,123Z"`, `"2026-11-18T09:14:03.12"`,
		`"2026-02-30T09:14:03.123Z"`, `"2026-11-18T09:14:03.1234Z"`, `"2026-11-18T09:14:03.12\u005a"`, `"2026-11-18T09:14:0x.123Z"`, `"2026-11-18T10:14:03+01:00"`,
		`"2026-11-18T09:14:03.:23Z"`, `"2026-11-18T09:14:6.:123Z"`, `12026-11-18T09:14:03.123Z"`, `"2026-11-18T09:14:03.123Z1`,
		`"0000-01-01T00:00:00.000Z"`, `"9999-12-31T23:59:59.999Z"`,
	}
	var c clock
	known := 0
	for range 20_000 {
		spelt := fmt.Sprintf(`"2026-11-%02dT09:%02d:%02d.%03dZ"`, 17+rng.IntN(2), 13+rng.IntN(2), rng.IntN(60), rng.IntN(1000))
		if rng.IntN(8) == 0 {
			spelt = odd[rng.IntN(len(odd))]
		}
		r := record{Timestamp: raw(spelt)}
		if len(spelt) == 26 && string(c.minute) == spelt[:18] {
			known++
		}
		if got, want := c.read(&r), r.time(); !got.Equal(want) || got.Location() != want.Location() {
			t.Fatalf("%s is read as %v, want %v", spelt, got, want)
		}
	}
	if known < 1000 {
		t.Errorf("only %d times of a known minute", known)
	}
}
