package tools

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A value of any shape is shortened to its bound, and stays an object whose lists count what they leave out.
func TestBounded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var value func(depth int) any
	value = func(depth int) any {
		switch random.IntN([]int{4, 4, 4, 2}[depth]) {
		case 0:
			return strings.Repeat("é\"", random.IntN(500))
		case 1:
			return random.Int64()
		case 2:
			list := []any{}
			for range random.IntN(60 >> (2 * depth)) {
				list = append(list, value(depth+1))
			}
			return list
		default:
			object := map[string]any{}
			for i := range random.IntN(60 >> (2 * depth)) {
				object[fmt.Sprint("key", i)] = value(depth + 1)
			}
			return object
		}
	}
	for range 60 {
		whole, _ := json.Marshal(map[string]any{"a": value(0), "b": value(0), "c": 1})
		short := bounded(whole, 10_000, "the rest")
		var got map[string]any
		switch err := json.Unmarshal(short, &got); {
		case err != nil:
			t.Fatalf("%v: %s", err, short)
		case len(whole) <= 10_000 && string(short) != string(whole):
			t.Fatalf("%s became %s", whole, short)
		case len(whole) > 10_000 && (len(short) > 10_000 || got["cut"] == nil):
			t.Fatalf("%d bytes: %.300s", len(short), short)
		}
	}
	list := fmt.Sprintf(`{"list":[%s0]}`, strings.Repeat("12345,", 9_999))
	short := string(bounded([]byte(list), 1_000, "ask again"))
	if want := `{"cut":"this is shortened; ask again","list":[12345,`; !strings.HasPrefix(short, want) || !strings.HasSuffix(short, `,"… and 9872 more"]}`) {
		t.Error(short)
	}
}
