package secret

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// made returns n letters and digits, the same for the same seed: no file holds a credential.
func made(seed uint64, n int) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

func TestMask(t *testing.T) {
	hub, lab, plain := "gh"+"p_"+made(1, 36), "gl"+"pat-"+made(2, 20), made(3, 32)
	block := "-----BEGIN " + "PRIVATE KEY-----\n" + made(4, 64) + "\n" + made(5, 64) + "\n"
	tests := []struct{ name, text, want string }{
		{"nothing", "no words of it", "no words of it"},
		{"empty", "", ""},
		{"a shape", "use " + hub + ".", "use [secret: github-token]."},
		{"a shape after a name keeps both", "GITHUB_TOKEN=" + hub, "GITHUB_TOKEN=[secret: github-token]"},
		{"a name", "api_key: \"" + plain + "\"", "api_key: \"[secret: api-key]\""},
		{"in a longer word", "x" + hub + " " + hub + "_old", "x[secret: github-token] [secret: github-token]_old"},
		{"in a row", hub + "," + lab, "[secret: github-token],[secret: gitlab-token]"},
		{"a dash within a word", "sha256-" + "aB3-hf_" + made(6, 36), "sha256-" + "aB3-hf_" + made(6, 36)},
		{"an address keeps its host", "postgres://app:" + plain + "@db/x", "postgres://app:[secret: url-password]@db/x"},
		{"an @ in a password", "amqp://app:p@ss" + made(7, 6) + "@mq/", "amqp://app:[secret: url-password]@mq/"},
		{"a query keeps the next name", "?token=" + plain + "&page=2", "?token=[secret: token]&page=2"},
		{"an & in a password", "PASSWORD=a1b2&c3d4", "PASSWORD=[secret: password]"},
		{"a block", "x\n" + block + "-----END " + "PRIVATE KEY-----\ny", "x\n[secret: private-key]\n\n\n\ny"},
		{"a block that is cut", "x\n" + block, "x\n[secret: private-key]\n\n\n"},
		{"a block in JSON", `{"k": "` + strings.ReplaceAll(block, "\n", `\n`) + `-----END ` + `PRIVATE KEY-----\n"}`, `{"k": "[secret: private-key]\n"}`},
		{"a block that is cut, and prose", block + strings.Repeat("and some words of prose ", 9),
			"[secret: private-key]\n\n\n" + strings.Repeat("and some words of prose ", 9)},
		{"again without its name", "password: " + plain + "\nlogin with " + plain, "password: [secret: password]\nlogin with [secret: password]"},
		{"no value", "password:", "password:"},
		{"no closing quote", "password: \"" + plain, "password: \"[secret: password]"},
		{"odd bytes", "\xff password=\xffa1b2c3\xfe \xf0\x9f", "\xff password=[secret: password] \xf0\x9f"},
		{"a mask of ours", "token: [secret: token] secret=[secret: jwt]", "token: [secret: token] secret=[secret: jwt]"},
		{"a mask of nobody", "[secret: " + hub + "]", "[secret: [secret: github-token]]"},
		{"a line of htpasswd", "deploy:$2y$10$" + made(8, 53), "deploy:$2y$[secret: password]"},
		{"one of Apache", "deploy:$apr1$" + made(9, 8) + "$" + made(10, 22), "deploy:$apr1$[secret: password]"},
		{"a hash of no login", "bcrypt gives $2y$10$" + made(8, 53), "bcrypt gives $2y$10$" + made(8, 53)},
		{"PowerShell", `ConvertTo-SecureString -String "Harbor` + made(11, 6) + `" -AsPlainText`, `ConvertTo-SecureString -String "[secret: password]" -AsPlainText`},
		{"a variable of PowerShell", `ConvertTo-SecureString "$env:PW" -AsPlainText; ConvertTo-SecureString $pw`, `ConvertTo-SecureString "$env:PW" -AsPlainText; ConvertTo-SecureString $pw`},
		{"words in quotation", `password="purple river lantern"`, `password="[secret: password]"`},
		{"a sentence in quotation", `password="must not be empty" password: "see team vault"`, `password="must not be empty" password: "see team vault"`},
		{"what was redacted", "client_secret: REDACTED, client_secret=[REDACTED], api_key: removed", "client_secret: REDACTED, client_secret=[REDACTED], api_key: removed"},
		{"a part that was masked", "password=\"[secret: jwt]abc\"", "password=\"[secret: jwt]abc\""},
	}
	for _, test := range tests {
		if got := Allowed(nil).Mask(test.text); got != test.want {
			t.Errorf("%s: Allowed(nil).Mask(%q) = %q, want %q", test.name, test.text, got, test.want)
		}
		if again := Allowed(nil).Mask(test.want); again != test.want {
			t.Errorf("%s: the mask %q is masked as %q", test.name, test.want, again)
		}
	}
}

func TestKey(t *testing.T) {
	hub, plain := "gh"+"p_"+made(1, 36), made(3, 32)
	for text, want := range map[string]string{
		"GITHUB_TOKEN=" + hub:             "GITHUB_TOKEN",
		hub:                               "",
		"{\"apiKey\": \"" + plain + "\"}": "apiKey",
		"the API key is " + plain:         "key",
		"--client-secret " + plain:        "client-secret",
		"비밀번호: a1b2c3d4":                  "비밀번호",
	} {
		spans := Find(text)
		if len(spans) != 1 || spans[0].Key != want {
			t.Errorf("Find(%q) = %+v, want the key %q", text, spans, want)
		}
	}
}

// TestSurroundings holds what was once shown, and what was once masked and is not a credential.
func TestSurroundings(t *testing.T) {
	hub, plain, hexadecimal := "gh"+"p_"+made(1, 36), made(3, 32), "0f3b"+"9c81d27e4a56b8f0c1d2e3a49576"
	const human = "tr0ub4" + "dor&3"
	for _, test := range []struct{ text, value string }{
		{"paid with live_sk_%s", made(4, 32)},
		{"[DD_API_KEY=%s](project_ok.md)", hexadecimal},
		{"https://store.blob.core.windows.net/c?sv=2022-11-02&sr=b&sig=%s&se=2031", made(5, 30) + "%2Bx1y2%3D"},
		{"Cookie: theme=dark; session=%s", plain},
		{"Set-Cookie: sid=%s; Path=/; HttpOnly", plain},
		{"machine git.internal login bob password %s", human},
		{"machine git.internal\n  login bob\n  password %s\n", human},
		{"mysql -u root -p%s shop", human},
		{"sshpass -p '%s' ssh ops@h", human},
		{"redis-cli -h cache -a %s ping", human},
		{"openssl pkcs12 -in a.p12 -passin pass:%s", "tr0ub4" + "dor3"},
		{"SECRET_KEY=%s", "k(7!q$z^m)2&x#v8" + "@w-%5=r*p+9t_n6"},
		{"SECRET_KEY = '%s'", "(7k!q$z^m)2&x#v8" + "@w-%5=r*p+9t_n6"},
		{"The password is %s.", "xQ" + "vKmTzWbL"},
		{"The password is %s.", "k7Qm" + "2xVb"},
		{"the backup_%s", hub},
		{"{\\u0022%s\\u0022}", hub},
		{"q=%%22%s%%22", hub},
		{"\\x1b%s", hub},
		{"\\u202e%s", hub},
		{"\\U000e0041%s", hub},
		{"user: bob\npass: %s", "k7Qm" + "2xVb9R"},
		{"pass: %s", "hK9#m" + "Q2$vL"},
		{"**Password (till + safe):** `%s`", human},
		{"old%s", hub},
		{"pw: %s", "k7Qm" + "2xVb9R"},
		{"the db pass is %s", "k7Qm" + "2xVb9R"},
		{"api_key: %s…", plain},
		{"api_key=%s.md", plain},
		{"admin PIN=%s", "48" + "2917"},
		{"__Password__: %s", "k7Qm" + "2xVb9R"},
		{"Sure that the password is %s?!", "hK9#m" + "Q2$vL"},
		{"https://api.telegram.org/bot7482910563:A%s/getMe", "A" + made(6, 33)},
		{"CONSUL_TOKEN=%s", "0f3b9c81-d27e-4a56-b8f0-" + "c1d2e3a49576"},
		{"GH_PAT: %s", hexadecimal},
		{"client-key-data: %s", "LS0tLS1CRUdJTiBSU0EgUFJJ" + "VkFURSBLRVktLS0tLQo" + made(7, 80)},
		{"Private-Lines: 1\n%s\nPrivate-MAC: 0", made(8, 44)},
		{"postgres://app:%s@db.internal/shop", "p?s#s/" + "w0rd7"},
		{"ansible_ssh_pass: %s", human},
		{"API_KEY=\"%s\"", "Harbor" + "42!"},
		{"WIFI:S:Lab;T:WPA;P:%s;;", "harbor" + "42lantern"},
		{"passphrase: \"%s\"", "harbor lantern " + "meadow copper"},
		{"creds: kim / %s", human},
		{"backup codes:\n%s\n", "9d8f5-" + "b69c2"},
		{"seed phrase: %s", "harbor lantern meadow copper violin sparrow thunder velvet walnut cactus pepper " + "marble"},
		{"the office card is %s", "4539 5787 " + "6362 1486"},
		{"Le mot de passe du serveur est %s", human},
		{"Het wachtwoord is %s", human},
		{"sunucunun şifresi %s", human},
		{"كلمة المرور هي %s", human},
		{"सर्वर का पासवर्ड है %s", human},
		{"A senha do servidor é %s", human},
		{"Hasło do serwera to %s", human},
		{"パスワードは「%s」です", human},
		{"Пароль до сервера: %s", human},
		{"an unknown vendor: zqt-prod-%s", made(9, 40)},
	} {
		text := fmt.Sprintf(test.text, test.value)
		if masked := Allowed(nil).Mask(text); strings.Contains(masked, test.value[2:len(test.value)-2]) || strings.Contains(masked, test.value[len(test.value)/2:]) {
			t.Errorf("%q is shown as %q", text, masked)
		}
	}
	for _, text := range []string{
		"On pass → ADR-0003", "spin=482917", "PASS T2b: signing in works", "the password hashing moved from md5 to bcrypt12 in v2.4.1", "order 4539 5787 6362 1486",
		"test card 4242 4242 4242 4242", "token_id: 0f3b9c81-d27e-4a56-b8f0-c1d2e3a49576", "password policy: min12chars", "toolu_01" + made(6, 22), "http://localhost:3000/a:b@c", "pin=v1.2.3", "the load near the pin: r=+0.44 with wins", "pin=4829", "Live VR PASS: `e2e/x.spec.ts`", "password → ADR-0003", "PASS: ADR-0003", "PASS: iPhone15ProMax", "pass: checkoutV2", "secret: docs/adr/ADR-0003.md", "| pass | ADR-0003 |",
		"the password is documented in ADR-0003", "token → `src/auth/tokenV2.ts`", "**Password (till):** ask Mira", "**API tokens (v2):** 1000 per minute", "pk_" + "live_" + made(6, 40), "task-" + hexadecimal,
	} {
		if spans := Find(text); len(spans) > 0 {
			t.Errorf("%q holds no credential: %+v", text, spans)
		}
	}
}

func TestJudgeName(t *testing.T) {
	for name, want := range map[string]strength{
		"password": login, "DB_PASSWORD": login, "dbPassword2": login, "rootpasswd": login, "PASS": weak, "ADMIN_PASS": login,
		"apiKey": strong, "X-Api-Key": strong, "SECRET_KEY_BASE": strong, "clientSecret": strong, "auth_token_old": strong, "key": weak,
		"publicKey": innocent, "max_token": innocent, "tokens": innocent, "passwords": innocent, "secretName": innocent,
		"password_hash": innocent, "monkey": innocent, "compass": innocent, "token-file": innocent, "nextPageToken": innocent,
	} {
		if got, _ := judgeName(name, ""); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	if got, _ := judgeName("key", "api"); got != strong {
		t.Errorf("api key: got %d", got)
	}
	if got, _ := judgeName("key", "Primary"); got != innocent {
		t.Errorf("primary key: got %d", got)
	}
}

// TestTableIsSound checks what the filter and the masks rely on.
func TestTableIsSound(t *testing.T) {
	for kind := range kinds() {
		if len(maskOpen)+len(kind)+len(maskClose) > maxMask || strings.Contains(kind, maskClose) {
			t.Errorf("the kind %q can't be read back", kind)
		}
	}
	for _, list := range table().lists {
		for _, a := range list {
			if len(a.text) < anchorSize || a.fold && a.text != strings.ToLower(a.text) {
				t.Errorf("the anchor %q can't be found", a.text)
			}
		}
	}
	// An anchor is found wherever it begins, also at once after another.
	var found []string
	table().each("AKIAAKIAxoxb-TOKEN", func(at int, a anchor) int {
		found = append(found, fmt.Sprint(at, " ", a.text))
		if a.text == "AKIA" {
			return at + len(a.text)
		}
		return at
	})
	if want := []string{"0 AKIA", "4 AKIA", "8 xoxb-", "13 token"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// The time that hostile text takes grows with its length: if it were quadratic, this would take minutes.
func TestTime(t *testing.T) {
	for _, piece := range []string{
		"sk-", "xoxb-=", "eyJ.", "-----BEGIN " + "PRIVATE KEY-----", "key=", "key=\"", "://", "://a:b@", "curl -u a:", ":AA", "1:AA",
		"8Q~", "JQQJ99", "aB3dE5gH7jK9mN.atlasv1.", "[secret: ", "password is ", "Bearer a", "Basic ", "MTA", "hvs.", "-hf_", "비밀번호:",
	} {
		text := strings.Repeat(piece, (1<<18)/len(piece))
		Find(text)
	}
}

// FuzzMask holds the laws of Find and Mask.
func FuzzMask(f *testing.F) {
	hub := "gh" + "p_" + made(1, 36)
	for _, text := range []string{
		"GITHUB_TOKEN=" + hub, "password: \xff한a1b2c3", "[secret: jwt]", "https://a:b1c2d3e4@h", "Authorization: Bearer " + made(2, 30),
		"-----BEGIN " + "PRIVATE KEY-----\\n" + made(3, 90), hub + "-" + hub, "sk-" + made(4, 30) + "-" + hub, "비밀번호는 a1b2c3 이다",
		"curl -u a:b1c2d3e4 x", "Basic YTpiMWMyZDNlNA==", "7123456789:A" + "A" + made(5, 33), "eyJ.eyJ.x", "<password>x1y2z3</password>",
		"key = '" + made(6, 40) + "', token=" + made(7, 40) + "&password=" + made(8, 9),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		starts := make(map[int]bool)
		for i := range text {
			starts[i] = true
		}
		starts[len(text)] = true
		end := 0
		for _, span := range Find(text) {
			if span.From < end || span.To <= span.From || span.To > len(text) || !starts[span.From] || !starts[span.To] || !kinds()[span.Kind] {
				t.Fatalf("%+v of %q, after %d", span, text, end)
			}
			if span.Key != "" && len(Find(span.Key)) > 0 {
				t.Fatalf("the key of %+v is a credential", span)
			}
			end = span.To
		}
		masked := Allowed(nil).Mask(text)
		if again := Allowed(nil).Mask(masked); again != masked {
			t.Fatalf("Allowed(nil).Mask(%q) = %q, and then %q", text, masked, again)
		}
		for n, span := range Find(text) {
			if value := text[span.From:span.To]; n < maxRepeated && len(value) >= leastRepeated && classes(value) > 1 && strings.Contains(masked, value) {
				t.Fatalf("Allowed(nil).Mask(%q) = %q shows %q", text, masked, value)
			}
		}
	})
}

// BenchmarkFind says what a text costs: prose without any anchor, what developers talk, and what is full
// of credentials.
func BenchmarkFind(b *testing.B) {
	plain := strings.Repeat("The build of the index is slow, so we split it in two; done on 2026-11-18 by the nightly run.\n", 10000)
	talk := strings.Repeat("The token bucket is keyed by user; see config.yml, the basic author of the monkey patch passed it on.\n", 10000)
	full := strings.Repeat("GITHUB_TOKEN=gh"+"p_"+made(1, 36)+" password: \"a1b2c3d4\" and postgres://app:x1y2z3a4@db/app\n", 10000)
	for name, text := range map[string]string{"plain": plain, "talk": talk, "full": full} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Find(text)
			}
		})
	}
}

// TestMaskTwice puts credentials, names and signs together at random, as no fuzzer does in its time, and
// asks whether what is masked is masked once and for all.
func TestMaskTwice(t *testing.T) {
	pieces := strings.Split("= : , . - _ / @ & ' \" ` ( [ ] { < > | * \\ -- :// :: \n \t 한 \xff \xe2 $ ! 1 a B é", " ")
	pieces = append(pieces, " ", "\\n", "password", "api_key", "token", "secret", "key", "비밀번호", "密码是", " is ", "Bearer ", "Basic ", "https://", "user:", "curl -u ",
		"sk-", "gh"+"p_", "xoxb-", "eyJ", "hvs.", "8"+"Q~", "JQQ"+"J99", ".atlas"+"v1.", ":A"+"A", "-----BEGIN "+"PRIVATE KEY-----", "-----END ", "-----",
		"[secret: ", "[secret: jwt]", "example", "xxxx", "gh"+"p_"+made(1, 36), "gl"+"pat-"+made(2, 20), "AK"+"IA"+strings.ToUpper(made(3, 16)),
		"7123456789:A"+"A"+made(4, 33), "S"+"K"+strings.Repeat("0a1b2c3d", 4), "hooks."+"slack.com/services/T"+made(5, 40))
	for n := range uint64(12) {
		pieces = append(pieces, made(10+n, int(6+4*n)))
	}
	r := rand.New(rand.NewPCG(3, 3))
	for range 40_000 {
		var b strings.Builder
		for range 2 + r.IntN(9) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		masked := Allowed(nil).Mask(b.String())
		if again := Allowed(nil).Mask(masked); again != masked {
			t.Fatalf("Allowed(nil).Mask(%q) = %q, and then %q", b.String(), masked, again)
		}
	}
}
