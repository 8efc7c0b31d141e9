package rule

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"dream-mcp/memory"
)

func TestLost(t *testing.T) {
	body := func(text string) *memory.Topic {
		return memory.ParseTopic([]byte("---\nname: x\ndescription: y\ntype: project\n---\n" + text + "\n"))
	}
	for _, test := range []struct {
		name, merged, survivor string
		want                   []string
	}{
		{"nothing", "", "", nil},
		{"the same", "Deploy by `make ship` on port 8443, never on Fridays.", "Deploy by `make ship` on port 8443, never on Fridays.", nil},
		{"over two lines", "Deploy by `make ship`\non port 8443.", "- port 8443\n- deploy: `make ship`", nil},
		{"a number", "It listens on 8443.", "It listens on 8444.", []string{"It listens on ⟨8443⟩."}},
		{"a part of a number", "Version 1.5 is used.", "Version 11.5 is used.", []string{"Version ⟨1.5⟩ is used."}},
		{"a unit", "The lock waits 90 seconds before it opens the gate again.", "The lock waits 90 minutes before it opens the gate again.",
			[]string{"The lock waits 90 ⟨seconds⟩ before it opens the gate again."}},
		{"a verb after a number that is a name", "Page 61 holds the tide table.", "The tide table is on page 61.", nil},
		{"a time", "On 2026-11-18 at 10:30 sharp.", "On 2026-11-18 at ten.", []string{"On 2026-11-18 at ⟨10:30 sharp⟩."}},
		{"near each other in a short memory", "Lamps change to OX-7, half the price.",
			"Lamps of the quay are OX-7 of 12 watts; before that they were AB-2 of 19 watts, and hung on the north shed, the winch house, the tide gauge and the gate.\n\n**Why:** half the price.", nil},
		{"the moment it was said", "User wants the ferry back at 15 knots since yesterday. The winch is still red.", "The ferry goes 15 knots (since 2026-11-05). The winch is red.", nil},
		{"the part of a day in which it was said", "User wants the ferry at 15 knots since this morning.", "The ferry goes 15 knots (since 2026-11-05).", nil},
		{"the part of each day", "The ferry goes 15 knots in the morning.", "The ferry goes 15 knots.", []string{"The ferry goes 15 knots in the ⟨morning⟩."}},
		{"more than the moment", "Back at 15 knots since the storm.", "It goes 15 knots.", []string{"Back at 15 knots since the ⟨storm⟩."}},
		{"code", "Run `go test ./tools` then.", "Run `go test` then.", []string{"Run `go test ./⟨tools⟩` then."}},
		{"code without its marks", "Run `go test`.", "Run go test at night.", nil},
		{"a block of code", "```sh\nmake ship\n# 12\n```\nthen wait", "then wait", []string{"⟨make ship⟩", "# ⟨12⟩"}},
		{"names", "The cranes belong to Mareike, see [[tide-table]] and config/a.yml.", "To whom do the cranes belong?",
			[]string{"The cranes belong to ⟨Mareike⟩, ⟨see⟩ [[⟨tide⟩-⟨table⟩]] and ⟨config⟩/a.⟨yml⟩."}},
		{"a name at the beginning", "Mareike owns the crane on the north quay.", "Anselm owns the crane on the north quay.", []string{"⟨Mareike⟩ owns the crane on the north quay."}},
		{"nouns are not names", "Der Kran und die Fähre sind alt, das Boot ist nicht alt.", "Kran, Fähre: alt. Boote sind nicht alt.", nil},
		{"prose", "It is long.\n\nThe night crew prefers the short ladder.", "It is long.", []string{"The ⟨night crew prefers⟩ the ⟨short ladder⟩."}},
		{"an item", "- oil the winch\n- paint the bollards", "- oil the winch", []string{"⟨paint⟩ the ⟨bollards⟩"}},
		{"a numbered item", "1. oil the winch\n2. wait", "Oil the winch and wait.", nil},
		{"a negation", "Never deploy on a Friday evening.", "Deploy on a Friday evening.", []string{"⟨Never⟩ deploy on a Friday evening."}},
		{"a negation in other words", "Never deploy on a Friday evening.", "Don't deploy on Friday evenings.", nil},
		{"a condition", "Deploy at once, unless the harbour is closed.", "Deploy at once; never when the harbour is closed.",
			[]string{"Deploy at once, ⟨unless⟩ the harbour is closed."}},
		{"Chinese", "数据库不要重置。部署在星期一。", "数据库要重置。部署在星期二。", []string{"数据库⟨不⟩要重置。", "部署在星期⟨一⟩。"}},
		{"Chinese in another order", "部署在星期一。", "星期一部署。", nil},
		{"Korean", "포트는 8443, 금요일에는 배포하지 않는다.", "포트는 8443, 금요일에는 배포한다.", []string{"포트는 8443, 금요일에는 배포하지 ⟨않⟩는다."}},
		{"Japanese", "金曜日にはデプロイしない。", "金曜日にはデプロイする。", []string{"金曜日にはデプロイし⟨ない⟩。"}},
		{"Russian", "Кран не работает ночью. Ключ у Марины на складе.", "Кран работает ночью. Ключ у Ирины на складе.",
			[]string{"Кран ⟨не⟩ работает ночью.", "Ключ у ⟨Марины⟩ на складе."}},
		{"Arabic", "الرافعة عند الرصيف الشمالي. المفتاح عند سعاد.", "الرافعة عند الرصيف الشمالي.", []string{"⟨المفتاح⟩ عند ⟨سعاد⟩."}},
		{"a date in words", "Since 18 November 2026 or Dec 4th; March 2026 was worse.", "Since 2026-11-18, or 2026-12-04; 2026-03 was worse.", nil},
		{"words of headings", "# Release Process Overview\n\nas it is run\n\n## The key that `petra` has", "As it is run.", []string{"## The ⟨key⟩ that `⟨petra⟩` has"}},
		{"the plural", "The Cranes belong to the Tidewardens.", "The cranes belong to a Tidewarden.", nil},
		{"words that a slash joins", "They read/write and/or wait.", "They read or write, and wait.", nil},
		{"said otherwise", "Tests that touch the network carry the tag `net`. Use 50 h.", "Everything tagged `net` goes over the network, that is, those tests: 50 hours to use.", nil},
		{"the end", "Release 4.2 of Halden must be signed by Tomas with the hardware token.", "Release 4.2 of Halden must be signed by Tomas.",
			[]string{"Release 4.2 of Halden must be signed by Tomas with the ⟨hardware token⟩."}},
		{"a negation before a vowel", "Avant 9:00 personne ne répond, appeler Karim.", "Personne n'y répond avant 9:00 : appeler Karim.", nil},
		{"what follows an identifier", "E-219 means ice on the pressure cell.", "E-219: ice on the pressure cell.", nil},
		{"a verb of two words", "The interval goes down to 10 minutes.", "The interval is 10 minutes.", nil},
		{"the other's name", "As in merged.md and [[merged]].", "As here.", nil},
	} {
		lost := Lost(map[memory.Name]*memory.Topic{mustName(t, "merged.md"): body(test.merged)}, mustName(t, "into.md"), body(test.survivor), nil)
		var got []string
		for _, f := range lost {
			got = append(got, f.Text)
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(test.want))
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", test.name, got, want)
		}
	}
}

func TestOwnLine(t *testing.T) {
	topic := func(description, text string) *memory.Topic {
		return memory.ParseTopic([]byte("---\nname: crane\ndescription: " + description + "\n---\n" + text))
	}
	before := topic("how the crane is run", "It lifts 12 t, by `make lift`; ask Mareike, never Anselm. It is version 1.3.5.")
	edited := topic("how the crane is run", "It hoists 14 t, by `make hoist`; ask Ines, never Anselm.")
	renewed := topic("how the crane is run and what it lifts", "It lifts 12 t, by `make lift`; ask Mareike, never Anselm.")
	for _, test := range []struct {
		line  string
		after *memory.Topic
		want  string
	}{
		{"version 1.3.5", memory.ParseTopic([]byte("---\nname: crane\ndescription: how the crane is run\n---\nIt is version 1.3.6.")), `its line in MEMORY.md says "version 1.3.5"; the memory no longer says "1.3.5"`},
		{"12 t, ask Mareike", edited, `its line in MEMORY.md says "12 t, ask Mareike"; the memory no longer says "12, Mareike"`},
		{"`make lift`, never Anselm", edited, "its line in MEMORY.md says \"`make lift`, never Anselm\"; the memory no longer says \"lift\""},
		{"how it is run, 17 times by Ruta", edited, ""}, // it never said so
		{"14 t", edited, ""},
		{"how the crane is run", edited, ""}, // it is the description
		{"what the crane lifts", renewed, ""},
		{"crane lifts 9 t", topic("the crane lifts 14 t", "9 t was too little."), `its line in MEMORY.md says "crane lifts 9 t"; the description now says "the crane lifts 14 t"`},
		{"Ask Mareike first", renewed, `its line in MEMORY.md says "Ask Mareike first"; the description now says "how the crane is run and what it lifts"`},
	} {
		f, _ := OwnLine(test.line, mustName(t, "crane.md"), before, test.after)
		if f.Message != test.want {
			t.Errorf("%q: %s, want %s", test.line, f.Message, test.want)
		}
	}
}

// uncounted are the numbers of list items and the words after a fence, which are not compared.
var uncounted = regexp.MustCompile("(?m)^[ \\t>*+-]*\\d+[.)](?:[ \\t]|$)|^.*(?:```|~~~).*$")

// FuzzLost: every number of what was merged is in the survivor, or in what is listed.
func FuzzLost(f *testing.F) {
	f.Add("On 18 November 2026, 3 of 7; May 5. 8 Jun 9th, 12 Dec 2026-11-18", "2026-11-18 and 2026-06-09")
	f.Add("1. Nov. 4, 20261 sep 2026\n# Oct 31", "2026-10-31T10:00 2026-09")
	f.Fuzz(func(t *testing.T, merged, survivor string) {
		m, s := memory.ParseTopic([]byte("---\nname: x\n---\n"+merged)), memory.ParseTopic([]byte("---\nname: y\n---\n"+survivor))
		var listed strings.Builder
		for _, fact := range Lost(map[memory.Name]*memory.Topic{mustName(t, "merged.md"): m}, mustName(t, "into.md"), s, nil) {
			listed.WriteString(fact.Text + "\n")
		}
		for _, number := range regexp.MustCompile(`[0-9]+`).FindAllString(uncounted.ReplaceAllString(m.Body(), ""), -1) {
			if !strings.Contains(survivor, number) && !strings.Contains(listed.String(), number) {
				t.Errorf("%q is neither in the survivor nor listed: %q", number, listed.String())
			}
		}
	})
}
