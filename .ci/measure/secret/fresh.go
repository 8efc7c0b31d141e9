package measure

import (
	_ "embed"
	"encoding/base64"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
)

// The fresh set: kinds of credentials in their surroundings, and innocent lines, each as a text with holes for what is
// made at run time. Half of the kinds and half of the innocents are held out, by the sum of their name: nothing says
// which of these were judged wrongly.

//go:embed fresh.txt
var freshText string

//go:embed innocents.txt
var innocentText string

// heldBack reports whether a name is in the half that is not looked at.
func heldBack(name string) bool {
	sum := fnv.New32a()
	sum.Write([]byte(name))
	return sum.Sum32()>>16%2 == 1
}

// fresh returns the samples of one half.
func fresh(held bool) []sample {
	list, surroundings, _ := strings.Cut(freshText, ":surroundings\n")
	places := lines(surroundings)
	var samples []sample
	kind, nth := "", 0
	add := func(line string) {
		if heldBack(kind) == held {
			samples = append(samples, fill(line, newDice(uint64(len(samples))+1000), kind))
		}
	}
	for _, line := range lines(list) {
		switch name, value, shaped := strings.Cut(line, " = "); {
		case strings.HasPrefix(line, "  "):
			add(line[2:])
		case shaped:
			kind = name
			if !strings.Contains(value, "«") {
				value = "«" + value + "»"
			}
			for range 3 {
				add(strings.Replace(places[nth%len(places)][2:], "%s", value, 1))
				nth += 5
			}
		default:
			kind = line
		}
	}
	return samples
}

// innocents returns the innocent lines of one half.
func innocents(held bool) []sample {
	var samples []sample
	for i, line := range lines(innocentText) {
		if heldBack(line) == held {
			samples = append(samples, fill(line, newDice(uint64(i)+5000), ""))
		}
	}
	return samples
}

// lines returns the lines of a list, without its comments.
func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != ';' {
			all = append(all, line)
		}
	}
	return all
}

var hole = regexp.MustCompile(`\{(?:([A-Za-z])(\d*)|basic)\}`)

// fill makes a sample of a line.
func fill(line string, d dice, kind string) sample {
	line = hole.ReplaceAllStringFunc(line, func(h string) string {
		m := hole.FindStringSubmatch(h)
		n, _ := strconv.Atoi(m[2])
		return d.fill(m[1], n)
	})
	if !strings.Contains(line, `\"`) && !strings.Contains(line, `\u`) {
		line = strings.ReplaceAll(line, `\n`, "\n")
	}
	before, rest, _ := strings.Cut(line, "«")
	value, after, _ := strings.Cut(rest, "»")
	if kind == "" {
		return sample{text: line}
	}
	return sample{text: before + value + after, from: len(before), to: len(before) + len(value), kind: kind}
}

var words = strings.Fields("harbor lantern meadow copper violin sparrow thunder velvet walnut cactus pepper marble ribbon saddle " +
	"tunnel basket candle dragon engine falcon garden hammer island jungle kettle ladder magnet needle orchid pigeon")

// fill returns what is put into a hole.
func (d dice) fill(letter string, n int) string {
	switch letter {
	case "A", "a", "b", "U", "m", "x", "d", "B", "D", "S":
		alphabet := map[string]string{
			"A": alnum, "b": strings.NewReplacer("0", "", "O", "", "I", "", "l", "").Replace(alnum), "a": lowers, "U": digits + uppers, "m": digits + lowers, "x": hexa, "d": digits, "B": std64, "D": dashed, "S": uppers + "234567",
		}[letter]
		for {
			text := d.from(alphabet, n)
			if n < 8 || len(alphabet) < 36 || strings.ContainsAny(text, digits) { // a value of letters alone is another kind
				return text
			}
		}
	case "u":
		return d.uuid()
	case "w":
		return words[d.IntN(len(words))]
	case "p":
		w := words[d.IntN(len(words))]
		title := strings.ToUpper(w[:1]) + w[1:]
		return []string{
			title + d.from(digits, 4) + "!", w + d.from(digits, 2) + words[d.IntN(len(words))], d.fill("m", 10), d.fill("A", 12), d.fill("P", 12),
			title + "-" + d.from(digits, 2) + "-" + words[d.IntN(len(words))], strings.ReplaceAll(title, "e", "3") + "#" + d.from(digits, 2),
		}[d.IntN(7)]
	case "P":
		return d.fill("A", 8) + string("!#%*+?"[d.IntN(6)]) + d.fill("A", 5)
	case "c", "g":
		card := d.card()
		if letter == "g" {
			card = card[:4] + " " + card[4:8] + " " + card[8:12] + " " + card[12:]
		}
		return card
	}
	return base64.StdEncoding.EncodeToString([]byte("kim:" + d.fill("p", 0)))
}

// card returns a number of 16 digits with a right sum.
func (d dice) card() string {
	number := "4" + d.from(digits, 14)
	sum := 0
	for i := range number {
		n := int(number[i] - '0')
		if i%2 == 0 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return number + strconv.Itoa((10-sum%10)%10)
}
