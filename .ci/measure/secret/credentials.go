package measure

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// The credentials are invented, and put together when they are needed: no file holds one, so that no
// scanner of repositories trips over this one.

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	alnum  = digits + lowers + uppers
	hexa   = digits + "abcdef"
	dashed = alnum + "-_"
	std64  = alnum + "+/"
)

// dice makes the same letters in every run.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 26))} }

// from returns n letters of an alphabet. Its ends are letters or digits, as those of real ones are.
func (d dice) from(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[d.IntN(len(alphabet))]
	}
	plain := alphabet[:min(len(alphabet), len(alnum))]
	b[n-1] = plain[d.IntN(len(plain))]
	return string(b)
}

func (d dice) uuid() string {
	h := d.from(hexa, 32)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func (d dice) lines(first string, n int) string {
	lines := []string{first + d.from(std64, 64-len(first))}
	for range n {
		lines = append(lines, d.from(std64, 64))
	}
	return strings.Join(append(lines, d.from(std64, 22)+"=="), "\n")
}

func (d dice) jwt() string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"sub":"u-`+d.from(digits, 8)+`","exp":1790000000}`) + "." + d.from(dashed, 43)
}

// contexts are the places at which a credential with a shape of its own appears.
var contexts = []string{
	"The staging token is `%s`, ask before use.",
	"export THE_TOKEN=%s\n",
	"{\"value\": \"%s\", \"n\": 1}",
	"- key: %s\n- next",
	"use %s.",
	"| prod | %s | rotated |",
	"curl -H 'X-Thing: %s' https://api.internal.net/v1",
}

// shaped makes one credential of each kind that has a shape of its own.
func shaped(d dice) [][2]string {
	key := func(label string) string { return "-----BEGIN " + label + "-----\n" }
	end := func(label string) string { return "\n-----END " + label + "-----" }
	block := func(label, first string, n int) string { return key(label) + d.lines(first, n) + end(label) }
	hyphen := func(parts ...string) string { return strings.Join(parts, "-") }
	return [][2]string{
		{"aws-access-key", "AK" + "IA" + d.from(uppers+"234567", 16)},
		{"aws-access-key", "AS" + "IA" + d.from(uppers+"234567", 16)},
		{"aws-bedrock-key", "AB" + "SK" + d.from(std64, 128)},
		{"google-api-key", "AI" + "za" + d.from(dashed, 35)},
		{"google-oauth", "GOC" + "SPX-" + d.from(dashed, 28)},
		{"google-oauth", "ya" + "29." + d.from(dashed, 120)},
		{"azure-key", d.from(alnum, 3) + "8" + "Q~" + d.from(dashed, 34)},
		{"azure-key", d.from(alnum, 52) + "JQQ" + "J99" + d.from(alnum, 18) + "AZ" + "DO" + d.from(alnum, 4)},
		{"digitalocean-token", "dop" + "_v1_" + d.from(hexa, 64)},
		{"heroku-key", "HR" + "KU-AA" + d.from(dashed, 58)},
		{"fly-token", "fm" + "2_" + d.from(std64, 160)},
		{"netlify-token", "nf" + "p_" + d.from(alnum, 36)},
		{"supabase-key", "sb" + "p_" + d.from(hexa, 40)},
		{"supabase-key", "sb_" + "secret_" + d.from(dashed, 31)},
		{"databricks-token", "da" + "pi" + d.from(hexa, 32)},
		{"planetscale-token", "pscale_" + "pw_" + d.from(dashed, 43)},
		{"github-token", "gh" + "p_" + d.from(alnum, 36)},
		{"github-token", "gh" + "o_" + d.from(alnum, 36)},
		{"github-token", "gh" + "s_" + d.from(alnum, 36)},
		{"github-token", "github_" + "pat_" + d.from(alnum, 22) + "_" + d.from(alnum, 59)},
		{"gitlab-token", "gl" + "pat-" + d.from(dashed, 20)},
		{"gitlab-token", "gl" + "pat-" + d.from(dashed, 27) + ".01." + d.from(digits+lowers, 9)},
		{"gitlab-token", "gl" + "rt-" + d.from(dashed, 20)},
		{"atlassian-token", "AT" + "ATT3xFfGF0" + d.from(dashed, 170) + "=" + d.from(digits+"ABCDEF", 8)},
		{"atlassian-token", "AT" + "BB" + d.from(alnum, 32)},
		{"npm-token", "np" + "m_" + d.from(alnum, 36)},
		{"pypi-token", "py" + "pi-AgEIcHlwaS5vcmc" + d.from(dashed, 150)},
		{"rubygems-key", "ruby" + "gems_" + d.from(hexa, 48)},
		{"crates-token", "ci" + "o" + d.from(alnum, 32)},
		{"docker-token", "dckr_" + "pat_" + d.from(dashed, 27)},
		{"anthropic-key", "sk-" + "ant-api03-" + d.from(dashed, 93) + "AA"},
		{"anthropic-key", "sk-" + "ant-oat01-" + d.from(dashed, 86) + "AA"},
		{"openai-key", "sk-" + "proj-" + d.from(dashed, 156)},
		{"openai-key", "sk-" + d.from(alnum, 20) + "T3Bl" + "bkFJ" + d.from(alnum, 20)},
		{"openai-key", "sk-" + d.from(hexa, 32)},
		{"openrouter-key", "sk-" + "or-v1-" + d.from(hexa, 64)},
		{"langfuse-key", "sk-" + "lf-" + d.uuid()},
		{"groq-key", "gs" + "k_" + d.from(alnum, 52)},
		{"xai-key", "xa" + "i-" + d.from(alnum, 80)},
		{"huggingface-token", "h" + "f_" + d.from(lowers+uppers, 34)},
		{"replicate-token", "r" + "8_" + d.from(alnum, 37)},
		{"perplexity-key", "pp" + "lx-" + d.from(alnum, 48)},
		{"nvidia-key", "nv" + "api-" + d.from(dashed, 64)},
		{"langsmith-key", "lsv2_" + "pt_" + d.from(hexa, 32) + "_" + d.from(hexa, 10)},
		{"tavily-key", "tv" + "ly-dev-" + d.from(alnum, 32)},
		{"elevenlabs-key", "s" + "k_" + d.from(hexa, 48)},
		{"slack-token", hyphen("xo"+"xb", d.from(digits, 12), d.from(digits, 13), d.from(alnum, 24))},
		{"slack-token", hyphen("xo"+"xp", d.from(digits, 12), d.from(digits, 12), d.from(digits, 13), d.from(hexa, 32))},
		{"slack-token", hyphen("xa"+"pp", "1", "A"+d.from(digits+uppers, 10), d.from(digits, 13), d.from(hexa, 64))},
		{"slack-webhook", "hooks." + "slack.com/services/T" + d.from(digits+uppers, 10) + "/B" + d.from(digits+uppers, 10) + "/" + d.from(alnum, 24)},
		{"discord-webhook", "discord." + "com/api/webhooks/" + d.from(digits, 18) + "/" + d.from(dashed, 68)},
		{"discord-token", base64.RawStdEncoding.EncodeToString([]byte("4"+d.from(digits, 17))) + ".G" + d.from(alnum, 5) + "." + d.from(dashed, 38)},
		{"telegram-token", "7" + d.from(digits, 9) + ":A" + "A" + d.from(dashed, 33)},
		{"sendgrid-key", "S" + "G." + d.from(dashed, 22) + "." + d.from(dashed, 43)},
		{"twilio-key", "S" + "K" + d.from(hexa, 32)},
		{"stripe-key", "sk_" + "live_51" + d.from(alnum, 97)},
		{"stripe-key", "rk_" + "live_" + d.from(alnum, 24)},
		{"stripe-webhook-secret", "wh" + "sec_" + d.from(alnum, 32)},
		{"shopify-token", "shp" + "at_" + d.from(hexa, 32)},
		{"vault-token", "hv" + "s.CAES" + "I" + d.from(dashed, 90)},
		{"terraform-token", d.from(alnum, 14) + ".atlas" + "v1." + d.from(dashed, 67)},
		{"1password-token", "ops_" + "eyJ" + d.from(std64, 250)},
		{"doppler-token", "dp." + "pt." + d.from(alnum, 43)},
		{"age-key", "AGE-" + "SECRET-KEY-1" + d.from("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)},
		{"notion-token", "nt" + "n_" + d.from(alnum, 46)},
		{"linear-key", "lin_" + "api_" + d.from(alnum, 40)},
		{"figma-token", "fig" + "d_" + d.from(dashed, 40)},
		{"postman-key", "PM" + "AK-" + d.from(hexa, 24) + "-" + d.from(hexa, 34)},
		{"grafana-token", "gl" + "sa_" + d.from(alnum, 32) + "_" + d.from(hexa, 8)},
		{"newrelic-key", "NR" + "AK-" + d.from(digits+uppers, 27)},
		{"airtable-token", "pa" + "t" + d.from(alnum, 14) + "." + d.from(hexa, 64)},
		{"jwt", d.jwt()},
		{"private-key", block("RSA PRIVATE KEY", "MIIEow", 8)},
		{"private-key", block("OPENSSH PRIVATE KEY", "b3BlbnNzaC1rZXktdjEA", 4)},
		{"private-key", block("PRIVATE KEY", "MC4CAQAwBQYDK2Vw", 0)},
		{"private-key", block("EC PRIVATE KEY", "MHcCAQEE", 1)},
		{"private-key", key("PGP PRIVATE KEY BLOCK") + "\n" + d.lines("lQdG", 9) + "\n=" + d.from(alnum, 4) + end("PGP PRIVATE KEY BLOCK")},
		{"private-key", strings.ReplaceAll(block("PRIVATE KEY", "MIIEvQ", 10), "\n", `\n`)},
	}
}

// named are the credentials that a name or a place marks, each a text around %s.
func named(d dice) [][3]string {
	made := func(n int) string { return d.from(alnum, n) }
	people := []string{"Hunter" + "2!x", "s3cr" + "3tPumpkin", "Winter" + "-2031!", "tr0ub" + "4dor&3", "mango" + "77tree", "K9#" + "vLp2q"}
	basic := func(user, password string) string {
		return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	}
	return [][3]string{
		{"aws-secret-key", "aws_secret_access_key = %s\nregion = eu-west-1", d.from(std64, 40)},
		{"aws-secret-key", "\"SecretAccessKey\": \"%s\",", d.from(std64, 40)},
		{"aws-secret-key", "AWS_SECRET_ACCESS_KEY=%s", d.from(std64, 40)},
		{"token", "aws_session_token = %s", d.from(std64, 300)},
		{"azure-key", "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=%s;EndpointSuffix=core.windows.net", d.from(std64, 86) + "=="},
		{"api-key", "Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=%s", d.from(std64, 43) + "="},
		{"url-password", "DATABASE_URL=postgres://shop:%s@db.internal:5432/shop", made(14)},
		{"url-password", "the dump runs with `mysql://root:%s@10.0.0.4/app`", people[1]},
		{"url-password", "mongodb+srv://app:%s@cluster0.mongodb.net/?retryWrites=true", people[3]},
		{"url-password", "REDIS_URL=rediss://:%s@cache.internal:6380/0", d.from(hexa, 24)},
		{"url-password", "amqp://worker:%s@mq:5672/%%2f", people[4]},
		{"url-password", "git clone https://deploy:%s@git.internal/x.git", made(20)},
		{"url-password", "<smtp://mailer:%s@smtp.internal:587>", people[0]},
		{"bearer-token", "Authorization: Bearer %s", made(40)},
		{"bearer-token", "fetch(url, {headers: {authorization: \"Bearer %s\"}})", d.from(dashed, 64)},
		{"bearer-token", "curl -H 'authorization: bearer %s' x", d.from(hexa, 40)},
		{"basic-auth", "Authorization: Basic %s", basic("admin", people[0])},
		{"basic-auth", "-H \"Authorization: Basic %s\"", basic("svc-build", made(20))},
		{"basic-auth", "curl -s -u admin:%s https://jenkins.internal/api/json", people[1]},
		{"basic-auth", "curl --user 'ops:%s' https://x.internal", people[3]},
		{"password", "password: %s", people[0]},
		{"password", "DB_PASSWORD=%s", people[1]},
		{"password", "export PGPASSWORD='%s'", people[2]},
		{"password", "{\"username\": \"admin\", \"password\": \"%s\"}", people[3]},
		{"password", "The admin password is `%s` on staging.", people[4]},
		{"password", "**Password:** `%s`", people[5]},
		{"password", "Server=db;Database=shop;User Id=sa;Password=%s;Encrypt=true", people[0]},
		{"password", "mysqldump -h db --password %s shop", people[1]},
		{"password", "mysqldump -h db --password=%s shop", people[4]},
		{"password", "<password>%s</password>", people[5]},
		{"password", "| password | %s |", people[1]},
		{"password", "sudo passphrase: \"%s\"", people[2]},
		{"password", "비밀번호: %s", people[0]},
		{"password", "테스트 계정 비밀번호는 %s 이다", people[1]},
		{"password", "密码：%s", people[3]},
		{"password", "数据库密码是%s", people[4]},
		{"password", "パスワード: %s", people[5]},
		{"password", "Das Passwort ist %s", people[1]},
		{"password", "Le mot de passe est %s", people[4]},
		{"password", "La contraseña es %s", people[0]},
		{"password", "пароль: %s", people[2]},
		{"password", "spring.datasource.password=%s", made(12)},
		{"password", "const dbPassword = \"%s\";", people[2]},
		{"password", "ADMIN_PASS=%s", people[3]},
		{"password", "wifi pwd=%s", people[4]},
		{"password", "os.environ[\"SMTP_PASSWORD\"] = \"%s\"", people[1]},
		{"password", "kubectl create secret generic db --from-literal=password=%s", people[4]},
		{"api-key", "API_KEY=%s", made(32)},
		{"api-key", "apiKey: \"%s\",", made(40)},
		{"api-key", "X-Api-Key: %s", d.from(hexa, 32)},
		{"api-key", "the api key is %s", made(24)},
		{"api-key", "https://maps.internal/v1?api_key=%s&q=x", made(28)},
		{"api-key", "DATADOG_API_KEY=%s", d.from(hexa, 32)},
		{"api-key", "COHERE_API_KEY: %s", made(40)},
		{"api-key", "ENCRYPTION_KEY=%s", d.from(std64, 43) + "="},
		{"api-key", "algolia admin key: %s", d.from(hexa, 32)},
		{"api-key", "setx MISTRAL_API_KEY \"x\" rem\nMISTRAL_API_KEY = '%s'", made(32)},
		{"api-key", "os.Setenv(\"SEARCH_API_KEY\", \"%s\")", made(32)},
		{"api-key", "{\\\"api_key\\\": \\\"%s\\\"}", made(32)},
		{"api-key", "    private_key: %s", made(44)},
		{"api-key", "--api-key %s", made(36)},
		{"secret", "CLIENT_SECRET=%s", made(32)},
		{"secret", "client_secret: '%s'", d.from(dashed, 40)},
		{"secret", "JWT_SECRET=%s", d.from(hexa, 64)},
		{"secret", "\"webhookSecret\" : \"%s\"", made(28)},
		{"secret", "**Client secret**: %s", made(36)},
		{"secret", "NEXTAUTH_SECRET=%s", d.from(std64, 43) + "="},
		{"secret", "twitter consumer_secret = \"%s\"", made(50)},
		{"token", "auth_token: %s", d.from(hexa, 32)},
		{"token", "TWILIO_AUTH_TOKEN=%s", d.from(hexa, 32)},
		{"token", "ACCESS_TOKEN=\"%s\"", made(64)},
		{"token", "//registry.internal/:_authToken=%s", made(36)},
		{"token", "refresh_token → %s", made(48)},
		{"token", "--token %s", made(40)},
		{"token", "| token | `%s` |", made(30)},
		{"token", "BOT_TOKEN: %s # rotated", made(59)},
		{"token", "access-token=%s;", made(40)},
		{"token", "PROD_TOKEN_2=%s", made(40)},
	}
}

// credentials returns a few hundred of them: each with a shape in three places, each with a name twice
// where it is made and once where a person thought of it.
func credentials() []sample {
	var samples []sample
	seen := make(map[string]bool)
	add := func(kind, context, value string) {
		text := fmt.Sprintf(context, value)
		if seen[text] {
			return
		}
		seen[text] = true
		at := strings.Index(text, value)
		samples = append(samples, sample{text: text, from: at, to: at + len(value), kind: kind})
	}
	for round := range 3 {
		d := newDice(uint64(round))
		for i, c := range shaped(d) {
			add(c[0], contexts[(i+round*3)%len(contexts)], c[1])
		}
		if round == 2 {
			break
		}
		for _, c := range named(d) {
			add(c[0], c[1], c[2])
		}
	}
	return samples
}
