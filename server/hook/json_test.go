package hook

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// told is what a value tells, as encoding/json would have it.
func told(v value) any {
	switch {
	case v.object() != nil:
		o := map[string]any{}
		for fields := v.object(); len(fields) > 0; fields = fields[2:] {
			name := fields[0].text()
			o[name] = told(v.object().at(name))
		}
		return o
	case v.is('['):
		list := []any{}
		for _, item := range v.list() {
			list = append(list, told(item))
		}
		return list
	case v.is('"'):
		return v.text()
	case v.holds(), string(v) == "false":
		return v.holds()
	case string(v) == "null":
		return nil
	}
	return v.number()
}

// What encoding/json accepts is told alike, whatever stands behind it; nothing makes it stumble.
func FuzzValue(f *testing.F) {
	for _, text := range []string{
		`{"a":"b","c":[1,-2.5e3,true,false,null,{"d":[]}],"":{}}`, ` [ "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud83dx\udc00" , "ü😀" ] `,
		`{"a":{"a":"}{\\"},"a":2}`, "\"\xff\xc3\"", `"\`, `{"a`, `{"a":`, `[`, `]`, `7 8`, "", `{"a" 1}`, `"\u12"`, `{{}}`, `"a`, `{"a":"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, rest := parse([]byte(text))
		got := told(v)
		if !strings.HasSuffix(text, string(rest)) {
			t.Errorf("%q is behind it", rest)
		}
		var want any
		if json.Unmarshal([]byte(text), &want) != nil {
			return
		}
		if !reflect.DeepEqual(got, want) || strings.Trim(string(rest), space) != "" {
			t.Errorf("%q is %#v, want %#v", text, got, want)
		}
	})
}

// An object is read from whatever pieces it comes in, and nothing behind it is waited for.
func TestReadObject(t *testing.T) {
	text := `{"a":{"b":"}"},"c":"` + strings.Repeat("é\\u0000", 10_000) + `"}`
	pipe, w := io.Pipe()
	go w.Write([]byte(text)) // and no end
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "a pipe that stays open": pipe} {
		if v, err := readObject(r, maxEvent); string(v) != text {
			t.Errorf("%s: %.40q, %v", name, v, err)
		}
	}
	if v, err := readObject(strings.NewReader(text), int64(len(text)-1)); err == nil {
		t.Errorf("more than the limit was read: %.40q", v)
	}
	if _, err := readObject(iotest.ErrReader(io.ErrClosedPipe), 9); err != io.ErrClosedPipe {
		t.Error(err)
	}
}
