package near

import "testing"

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"undo", "undo", 0}, {"udno", "undo", 1}, {"undoo", "undo", 1}, {"und", "undo", 1}, {"unda", "undo", 1}, {"dnuo", "undo", 2},
		{"préf", "prèf", 1}, {"ключ", "клчю", 1}, {"status", "serve", 5}, {"", "abc", 3},
	} {
		if got := distance(test.a, test.b, 9); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
		if got := distance(test.b, test.a, 9); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.b, test.a, got, test.want)
		}
		if got := distance(test.a, test.b, 2); got != min(test.want, 2) {
			t.Errorf("distance(%q, %q) within 2 = %d", test.a, test.b, got)
		}
	}
}

func FuzzDistance(f *testing.F) {
	f.Add("status", "stauts", 3)
	f.Add("", "é", 1)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		limit = limit&15 + 1
		if len(a)+len(b) > 200 {
			return
		}
		d := distance(a, b, limit)
		if d != distance(b, a, limit) || d < 0 || d > limit || (d == 0) != (string([]rune(a)) == string([]rune(b))) {
			t.Errorf("distance(%q, %q, %d) = %d, and back %d", a, b, limit, d, distance(b, a, limit))
		}
	})
}
