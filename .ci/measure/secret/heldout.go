package measure

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
)

// The held-out set: surroundings and kinds that the rule was not made on. It was written before the rule was
// last changed, and its errors were not looked at: who looks at them has to write a new one. What counts
// here is that the value is covered, whatever the kind that is reported.

// heldOutPlaces are surroundings, by the class of value that is in them: p is a password that a person
// made or was given, t is a token without a shape of its own, s is a token with one.
func heldOutPlaces() [][2]string {
	return [][2]string{
		// headers
		{"t", "Cookie: sid=%s; theme=dark"},
		{"t", "Set-Cookie: connect.sid=%s; Path=/; HttpOnly; Secure"},
		{"t", "PRIVATE-TOKEN: %s"},
		{"t", "-H 'Authorization: token %s'"},
		{"t", "Authorization: ApiKey %s"},
		{"t", "x-goog-signature header, X-Vault-Token: %s"},
		// commands
		{"p", "mysqldump -u shop -p%s shop > dump.sql"},
		{"p", "mariadb -h db.internal -uroot -p'%s' -e 'show tables'"},
		{"p", "docker login -u ci -p %s registry.internal"},
		{"p", "mongosh -u admin -p %s --authenticationDatabase admin"},
		{"p", "redis-cli -h cache.internal -p 6380 -a %s ping"},
		{"p", "ldapsearch -x -D cn=admin,dc=corp -w %s -b dc=corp"},
		{"p", "openssl pkcs12 -in a.p12 -passin pass:%s -nodes"},
		{"p", "keytool -list -keystore ks.jks -storepass %s"},
		{"p", "gpg --batch --passphrase %s -d backup.gpg"},
		{"p", "wget --user=ops --password=%s https://files.internal/a"},
		{"p", "7z x -p%s archive.7z"},
		{"p", "http -a ops:%s https://api.internal/v1"},
		{"t", "vault login %s"},
		{"t", "heroku config:set STRIPE_SECRET=%s"},
		{"t", "fly secrets set SESSION_SECRET=%s -a shop"},
		{"t", "npm config set //npm.internal/:_authToken %s"},
		{"t", "setenv BUILD_TOKEN %s"},
		{"t", "set -gx SEARCH_API_KEY %s"},
		{"t", "$env:OPS_API_KEY = '%s'"},
		{"p", "sshpass -p '%s' scp a ops@10.0.0.7:/srv"},
		// files
		{"p", "machine git.internal\n  login bob\n  password %s\n"},
		{"p", "machine api.internal login bob password %s"},
		{"p", "- name: DB_PASSWORD\n  value: %s\n"},
		{"t", "<add key=\"ApiKey\" value=\"%s\" />"},
		{"t", "{\"name\": \"SENDER_API_KEY\", \"value\": \"%s\"}"},
		{"t", "ENV DEPLOY_TOKEN %s"},
		{"p", "db.internal:5432:shop:shop:%s"},
		{"p", "[client]\nuser=root\npassword = \"%s\"\n"},
		{"p", "<user name=\"bob\" password=\"%s\"/>"},
		{"p", "Driver={ODBC};Uid=sa;Pwd=%s;"},
		{"t", "SECRET_KEY = '%s'"},
		// prose and Markdown
		{"p", "The staging password is now %s, ask Kim."},
		{"p", "Log in as ops with password %s."},
		{"p", "Password — `%s`"},
		{"p", "- **DB password** (staging): `%s`"},
		{"p", "root password on the NAS: %s"},
		{"p", "| user | password |\n|---|---|\n| bob | %s |\n"},
		{"p", "creds: bob / %s"},
		{"p", "test account bob@shop.example / %s"},
		{"p", "### Admin password\n\n`%s`\n"},
		{"p", "Wi-Fi key for the lab: %s"},
		{"t", "- [SEARCH_API_KEY=%s](project_search.md) — search"},
		{"t", "the API key we use is `%s`"},
		{"t", "API token (prod): %s"},
		{"t", "our deploy key is %s…"},
		{"t", "license key %s"},
		{"p", "비밀번호 = %s"},
		{"p", "パスワードは「%s」です"},
		{"p", "пароль от базы: %s"},
		{"p", "mot de passe : %s"},
		{"p", "La password è %s"},
		{"p", "Das Kennwort lautet: %s"},
		// addresses and encodings
		{"t", "https://store.blob.core.windows.net/a?sv=2022-11-02&sp=r&sig=%s&se=2031"},
		{"t", "https://b.s3.amazonaws.com/a?X-Amz-Credential=x&X-Amz-Signature=%s"},
		{"t", "https://hooks.internal/deploy?secret=%s"},
		{"p", "ftp://bob:%s@files.internal/"},
		{"p", "jdbc:postgresql://db/shop?user=shop&password=%s"},
		{"p", "{\\u0022password\\u0022:\\u0022%s\\u0022}"},
		{"t", "payload=%%7B%%22api_key%%22%%3A%%22%s%%22%%7D"},
		{"s", "my_%s"},
		{"s", "\\u0022%s\\u0022"},
		{"s", "q=%%22%s%%22"},
		{"s", "old%s"},
		{"s", "deploy_key_%s.txt"},
		{"s", "(`%s`)"},
		{"s", "…%s…"},
		{"s", "%s_old"},
	}
}

func heldOut() []sample {
	d := newDice(4711)
	const signs = "!@#$%^&*(-_=+)"
	passwords := func() string {
		return [...]string{
			d.from(alnum, 10), "Tulip" + d.from(digits, 2) + "-river!", "gr4ve" + "lStorm", d.from(lowers+uppers, 14), d.from(lowers+digits, 8),
			"Zq!" + d.from(alnum, 5) + "#" + d.from(alnum, 3),
		}[d.IntN(6)]
	}
	tokens := func() string {
		return [...]string{
			d.from(hexa, 32), d.from(hexa, 40), d.from(alnum, 24), d.from(alnum, 40), d.from(dashed, 43),
			d.from(lowers+digits, 32),
		}[d.IntN(6)]
	}
	shapes := func() string {
		return [...]string{
			"gh" + "p_" + d.from(alnum, 36), "gl" + "pat-" + d.from(dashed, 20), "sk-" + "ant-api03-" + d.from(dashed, 93) + "AA",
			"AK" + "IA" + d.from(uppers+"234567", 16), "xo" + "xb-" + d.from(digits, 12) + "-" + d.from(alnum, 24), "sk_" + "live_" + d.from(alnum, 32),
		}[d.IntN(6)]
	}
	var samples []sample
	seen := make(map[string]bool)
	add := func(context, value string) {
		text := fmt.Sprintf(context, value)
		if seen[text] {
			return
		}
		seen[text] = true
		at := strings.Index(text, value)
		samples = append(samples, sample{text: text, from: at, to: at + len(value), kind: anyKind})
	}
	for range 2 {
		for _, place := range heldOutPlaces() {
			switch place[0] {
			case "p":
				add(place[1], passwords())
			case "t":
				add(place[1], tokens())
			default:
				add(place[1], shapes())
			}
		}
	}
	// kinds that no line of the table was made for
	for _, kind := range []string{
		"live_" + "sk_" + d.from(alnum, 32), "test_" + "sk_" + d.from(alnum, 32), "rzp_" + "live_" + d.from(alnum, 24), "pdl_" + "live_apikey_" + d.from(alnum, 48),
		"live_" + d.from(alnum, 30), "EAAA" + "E" + d.from(dashed, 59), "access_" + "token$production$" + d.from(hexa, 16) + "$" + d.from(hexa, 32),
		"phx_" + d.from(alnum, 43), "ops_" + "key_" + d.from(alnum, 32), "acme_" + "prod_" + d.from(alnum, 40),
		"tk-" + d.from(alnum, 40), "ADMIN-" + "TOKEN-" + d.from(alnum, 32),
	} {
		add("payments run with `%s` since the move", kind)
		add("PAYMENT_SECRET=%s", kind)
	}
	for range 6 {
		add("SECRET_KEY = '%s'", d.from(lowers+digits+signs, 50))
		add("SECRET_KEY=%s", d.from(lowers+digits+signs, 50))
	}
	add("?sv=2022&sig=%s&sp=r", url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(d.from(alnum, 32)))))
	return samples
}

// heldOutTraps are lines as people write them in memories, none of which holds a credential.
func heldOutTraps() []sample {
	var samples []sample
	for _, text := range heldOutInnocent {
		samples = append(samples, sample{text: text})
	}
	return samples
}

var heldOutInnocent = strings.Split(strings.TrimSpace(`
On pass → ADR-0007, on fail → ADR-0011
Second pass → PR-2231 merged
auth → middleware/session-v2.ts
secret → vault/kv2/app-prod-2031
token → src/lib/tokenize3.ts
Live PASS: `+"`e2e/login.spec.ts`"+`
Smoke pass: `+"`tests/test_api_v2.py::test_login`"+`
PASS=12 FAIL=0 SKIP=3
first pass: scripts/build3.sh, second pass: scripts/lint.sh
pass: true, retries: 2
password: see docs/runbook-2.md
Password reset e2e in `+"`tests/e2e/password-reset2.spec.ts`"+`
password is hashed with argon2id before v2.3
The password is required since PR-4412
the password field uses minlength8
password login disabled since release-2031.4
The admin password lives in Bitwarden, item "Ops2"
DB_PASSWORD comes from fly secrets, never from .env.v2
DB_PASSWORD=${DB_PASSWORD:-devonly1}
DB_PASSWORD: {{ vault_db_password2 }}
PASSWORD_MIN_LENGTH=12
PASSWORD_HASHER=argon2id
passwordField2 = page.locator('#pw2')
The API key is read from config/settings2.yaml
API key: `+"`OPENAI_API_KEY`"+` in .env
API_KEY_HEADER=X-Api-Key-V2
the key is `+"`user:42:sessions:v3`"+`
Redis key `+"`cache:v2:user:1234:profile`"+`
S3 key = uploads/2031/05/17/0001-final.pdf
auth=required on /v2/admin
sig=ECDSA-P256-SHA256
signature: func Parse(s string) (v2 Version, err error)
Cookie: session=…; cleared on logout
Cookie: theme=dark; lang=de
Set-Cookie: lang=de-DE; Path=/
Cookies expire after 30d2h
mysql -p -u root shop
mysql -u root -p shop < dump2.sql
mysql -p"$DB_PASS" shop
sshpass -p "$PASS" ssh ops@h
redis-cli -a $REDIS_PASS ping
docker run -p 8080:80 -a stdout nginx:1.27
docker login -u ci --password-stdin
ssh -p 2222 ops@10.0.0.4
mkdir -p build2/out3
cp -a dist2 /srv/app2
pytest -p no:cacheprovider2 -a x
openssl rsa -passin env:KEY_PASS -in k2.pem
openssl x509 -passin file:secrets/pass2.txt
machine learning login flow, password reset v2
login form: user and password (min 8 chars, 1 digit)
tokens: 128k in, 4096 out
"token": "string", "expires": 3600
token=abc123
token: <paste from 1Password>
max_tokens=4096 top_p=0.95
TOKEN_URL=https://auth.internal/oauth2/v2/token
refresh token rotation: see ADR-0003
Bearer auth via `+"`middleware/auth_v2.go`"+`
secret scanning: gitleaks v8.18.2 in pre-commit
SECRET_KEY_BASE is generated by bin/setup2
SECRET_KEY=<50 random chars>
Secrets: AWS SSM /prod/app2/db_password
client_secret: stored in ssm:/prod/app2/oauth
live_test_results_2031_final_version_for_release
test_sk_learn_pipeline_classification_results_v2
live_reload_enabled_for_all_environments_in_dev2
my_sk-learn-experiment-with-many-hyperparameters-v2
task-4f0c2b7d9e1a3c5b7d9f0e2c4a6b8d0f
disk-1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d attached
commit 4f0c2b7d9e1a3c5b7d9f0e2c4a6b8d0f1e3c5a7b…
sha1 4f0c2b7d9e1a3c5b7d9f0e2c4a6b8d0f1e3c5a7b is the key commit
key commit: 4f0c2b7d9e1a3c5b7d9f0e2c4a6b8d0f1e3c5a7b
the key file is `+"`certs/server-2031.key`"+`
[auth](auth_v2.md) — password reset, tokens, see ADR-0003
- [API key rotation](project_api_key_rotation_v2.md) — every 90d
- [Secrets](reference_secrets2.md) — where each secret lives
| user | password |
| token | `+"`src/auth/token2.ts`"+` |
| pass | 41 |
| password | string | min 8, max 72 |
비밀번호는 8자 이상 ADR-0003
비밀번호 → docs/auth2.md
密码 → 见 docs/auth2.md
пароль: docs/auth2.md
Passwort: siehe ADR-0003
user: bob@shop.example / role: admin2
creds: see 1Password / vault2
test account: bob / standard plan 2031
`), "\n")
