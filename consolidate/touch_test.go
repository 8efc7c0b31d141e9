package consolidate

import (
	"fmt"
	"strings"
	"testing"

	"dream-mcp/memory"
	"dream-mcp/memory/related"
)

// An utterance names the memory that it changes where that is clear, in another language too. Chance words name none.
func TestTouch(t *testing.T) {
	s := &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{}}
	for file, body := range map[string]string{
		"oakham.md":    "The mill in Oakham opens on 2026-10-15 with 12 stones.",
		"stones.md":    "Stones 4, 9 and 11 in Oakham are dressed twice a year.",
		"retention.md": "Order data is kept for 90 days.",
		"export.md":    "Order lists are sent as CSV.",
		"motor.md":     "The motors are Velden M12.",

		"review.md": "What touches the sluice is reviewed by Piet before it is merged.",
		"wheel.md":  "The wheel stops at night.",
		"flour.md":  "Flour is weighed in grams.",
		"intake.md": "Readings come in through `race/intake/meter.py`. Unknown ones it must store.",
		"lamp.md":   "The lamp above the door is green while the mill runs.",
	} {
		n, _ := memory.ParseName(file)
		s.Put(n, []byte("---\nname: "+strings.TrimSuffix(file, ".md")+"\ndescription: d\ntype: project\n---\n\n"+body+"\n"))
	}
	for i := range 30 { // rarity counts only among many
		n, _ := memory.ParseName(fmt.Sprintf("other%d.md", i))
		s.Put(n, fmt.Appendf(nil, "---\nname: other%d\ndescription: d\ntype: project\n---\n\nPlank%d goes beside beam%d.\n", i, i, i))
	}
	signer, _ := memory.ParseName("signer.md")
	s.Put(signer, []byte("---\nname: signer\ndescription: who signs the invoices\ntype: project\n---\n\nThis is for the office.\n\nInvoices above 500 are for Berit.\n"))
	touch := touchOf(related.New(related.Documents(s)), nil)
	for text, want := range map[string]string{
		"the mill in Oakham opens on December 3rd now":                       "oakham.md",
		"and Oakham is December 3rd now":                                     "", // two memories say something on it
		"order data is kept for 400 days now, the auditors want a full year": "retention.md",
		"motores nuevos: volvemos a los Velden, a mitad de precio":           "motor.md",
		"not convinced, I'll try it tomorrow and see":                        "",
		"what time is it there":                                              "",
		"revert the last edit in race/intake/store.py":                       "",
	} {
		if got := filesOf(touch(text)); got != want {
			t.Errorf("%q touches %q, want %q", text, got, want)
		}
	}
	if hits := touch("Sverre signs the invoices from now on"); len(hits) != 1 || hits[0] != "signer.md:9" {
		t.Errorf("got %+v, want the line that holds the value, not the description", hits)
	}
	again, _ := memory.ParseName("signer_again.md")
	s.Put(again, []byte("---\nname: again\ndescription: who signs the invoices\ntype: project\n---\n\nSverre signs the invoices from now on.\n"))
	touch = touchOf(related.New(related.Documents(s)), map[string]bool{"signer_again.md": true, "lamp.md": true})
	for text, want := range map[string]string{"Sverre signs the invoices from now on": "signer.md", "the lamp above the door is red while the mill runs": "lamp.md"} {
		if got := filesOf(touch(text)); got != want {
			t.Errorf("with new memories %q touches %q, want %q", text, got, want)
		}
	}
}

// One word is chance, in a script without spaces between syllables too, and so is the address at which an error was
// seen.
func TestTouchChance(t *testing.T) {
	s := &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{}}
	put := func(file, body string) {
		n, _ := memory.ParseName(file)
		s.Put(n, []byte("---\nname: "+strings.TrimSuffix(file, ".md")+"\ndescription: d\ntype: project\n---\n\n"+body+"\n"))
	}
	put("deploy.md", "- 파라미터는 JSON.")
	put("site.md", "- https://kestrel.example:8443")
	for i := range 30 {
		put(fmt.Sprintf("other%d.md", i), fmt.Sprintf("Plank%d goes beside beam%d, and it is long enough to be a sentence of many words.", i, i))
	}
	touch := touchOf(related.New(related.Documents(s)), nil)
	for text, want := range map[string]string{
		"지금 파라미터 값이 출력 안됨":                                                 "",
		"파라미터는 JSON 아니고 YAML":                                              "deploy.md",
		"undefined field at parse (https://kestrel.example:8443/web.js:7)": "",
	} {
		if got := filesOf(touch(text)); got != want {
			t.Errorf("%q touches %q, want %q", text, got, want)
		}
	}
}

// What the person says all day names no memory, nor do the small words of any language that memories are in. What is
// said once does, beside it, and a word that is nearly the same in two languages of the memories.
func TestTouchInTalk(t *testing.T) {
	s := &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{}}
	put := func(file, body string) {
		n, _ := memory.ParseName(file)
		s.Put(n, []byte("---\nname: "+strings.TrimSuffix(file, ".md")+"\ndescription: d\ntype: project\n---\n\n"+body+"\n"))
	}
	put("molino.md", "Eso está escrito en el cuaderno: la muela gira despacio, y esa noche no se para.")
	put("wagon_brakes.md", "The wagons of the harbour have cast brakes; each wagon is weighed with an empty hopper.")
	put("wagon_paint.md", "Wagon paint is red.")
	put("harbour_scale.md", "The scale at the harbour rounds to 20 kg.")
	put("night_work.md", "At night the quay is lit and the crane oiled.")
	put("crane.md", "The crane has a new hook.")
	put("timetable.md", "The migration of the validators is on Sunday.")
	put("signal.md", "The alarm is at 47 volts; below 47 the alarm sleeps.")
	for i := range 24 {
		put(fmt.Sprintf("otro%d.md", i), fmt.Sprintf("La tabla%d va con los clavos%d para que no se mueva.", i, i))
		put(fmt.Sprintf("other%d.md", i), fmt.Sprintf("The plank%d is with the beam%d.", i, i))
	}
	x := related.New(related.Documents(s))
	said, touch := func(text string) { x.Said(asked(text)) }, touchOf(x, nil)
	for i := range 30 {
		said(fmt.Sprintf("weigh wagon %d with an empty hopper", i))
	}
	for text, want := range map[string]string{
		"eso está bien, pero esa no":                    "",
		"weigh wagon 31 with an empty hopper":           "",
		"the cast brakes of the wagons are welded now":  "wagon_brakes.md",
		"the quay is lit and the crane oiled at noon":   "night_work.md",
		"la migración de los validadores va el lunes":   "timetable.md",
		"the harbour scale rounds to 50 kg":             "harbour_scale.md",
		"the alarm goes to 52, at 47 we only got noise": "signal.md",
	} {
		said(text)
		if got := filesOf(touch(text)); got != want {
			t.Errorf("%q touches %q, want %q", text, got, want)
		}
	}
}

// filesOf returns the files of what an utterance touches, joined.
func filesOf(touched []string) (files string) {
	for _, h := range touched {
		file, _, _ := strings.Cut(h, ":")
		files += file
	}
	return files
}
