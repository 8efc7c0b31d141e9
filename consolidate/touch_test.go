package consolidate

import (
	"fmt"
	"strings"
	"testing"

	"dream-mcp/memory"
	"dream-mcp/memory/related"
)

// An utterance names the memory that it changes: by what is rare, by a clear lead, by the memory's own name, or by a name that only
// that memory has, in another language too. Chance words name none.
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
	touch := touchOf(related.New(related.Documents(s)), true)
	for text, want := range map[string]string{
		"and Oakham is December 3rd now":                                     "oakham.md",
		"order data is kept for 400 days now, the auditors want a full year": "retention.md",
		"motores nuevos: volvemos a los Velden, a mitad de precio":           "motor.md",
		"not convinced, I'll try it tomorrow and see":                        "",
		"what time is it there":                                              "",
		"revert the last edit in race/intake/store.py":                       "",
	} {
		got := ""
		for _, h := range touch(text) {
			file, _, _ := strings.Cut(h.Where, ":")
			got += file
		}
		if got != want {
			t.Errorf("%q touches %q, want %q", text, got, want)
		}
	}
	if hits := touch("Sverre signs the invoices from now on"); len(hits) != 1 || hits[0].Where != "signer.md:9" || !strings.Contains(hits[0].Text, "Berit") {
		t.Errorf("got %+v, want the line that holds the value, not the description", hits)
	}
}
