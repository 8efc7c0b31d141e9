package measure

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// traps returns innocent text that looks like a credential in part: what tools print, what code and
// prose say about credentials, and what is written in place of one.
func traps() []sample {
	d := newDice(7)
	var texts []string
	for range 6 {
		texts = append(texts, digests(d)...)
	}
	texts = append(texts, documented...)
	texts = append(texts, code...)
	texts = append(texts, prose...)
	// The examples of the vendors' own pages, in parts, for scanners know them too.
	texts = append(texts,
		"AWS_ACCESS_KEY_ID=AKIA"+"IOSFODNN7EXAMPLE",
		"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY"+"EXAMPLEKEY",
		"AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uS"+"RZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0."+"SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
		"Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte("user:password")),
		"ghp_"+"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"ghp_"+"1234567890abcdefghijklmnopqrstuvwxyz",
		"sk-ant-api03-"+strings.Repeat("x", 90),
		"sk-"+strings.Repeat("0", 48),
		"-----BEGIN "+"PRIVATE KEY-----\nMIIE...\n-----END PRIVATE KEY-----",
		"-----BEGIN "+"PRIVATE KEY-----\n<your key>\n-----END PRIVATE KEY-----",
		"the file begins with -----BEGIN "+"OPENSSH PRIVATE KEY----- and is mode 0600",
	)
	samples := make([]sample, len(texts))
	for i, text := range texts {
		samples[i].text = text
	}
	return samples
}

// digests returns what is random and no secret: hashes, numbers, images, locks.
func digests(d dice) []string {
	b64 := func(n int) string { return base64.StdEncoding.EncodeToString([]byte(d.from(alnum, n))) }
	texts := []string{
		"commit " + d.from(hexa, 40),
		"fixed in " + d.from(hexa, 7) + ", reverted in " + d.from(hexa, 12),
		"index " + d.from(hexa, 7) + ".." + d.from(hexa, 7) + " 100644",
		"session_id: " + d.uuid(),
		"\"uuid\": \"" + d.uuid() + "\", \"parentUuid\": \"" + d.uuid() + "\"",
		"idempotency_key=" + d.uuid(),
		"token_id: " + d.uuid() + ", key_id=" + d.uuid(),
		d.from(hexa, 64) + "  dist/app.tar.gz",
		"sha256:" + d.from(hexa, 64),
		"image: registry.internal/app@sha256:" + d.from(hexa, 64),
		"integrity sha512-" + b64(64),
		"\"integrity\": \"sha512-" + b64(64) + "\",",
		"github.com/acme/mod v1.2.3 h1:" + d.from(std64, 43) + "=",
		"checksum = \"" + d.from(hexa, 64) + "\"",
		"\"resolved\": \"https://registry.npmjs.org/left/-/left-1.0.0.tgz#" + d.from(hexa, 40) + "\"",
		"data:image/png;base64,iVBORw0KGgo" + d.from(std64, 600) + "==",
		"<img src=\"data:image/svg+xml;base64," + b64(300) + "\">",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA" + d.from(std64, 43) + " me@host",
		"public_key: ssh-rsa AAAAB3NzaC1yc2E" + d.from(std64, 350),
		"key fingerprint is SHA256:" + d.from(std64, 43),
		"-----BEGIN CERTIFICATE-----\n" + d.lines("MIID", 6) + "\n-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\n" + d.lines("MFkw", 1) + "\n-----END PUBLIC KEY-----",
		"STRIPE_PUBLISHABLE_KEY=pk_" + "live_51" + d.from(alnum, 90),
		"cache_key: " + d.from(hexa, 40) + "-linux-x64",
		"hash-key=" + d.from(hexa, 32) + " (restore-keys: npm-)",
		"etag: W/\"" + d.from(alnum, 27) + "\"",
		"request-id: req_" + d.from(alnum, 24) + ", toolu_" + d.from(alnum, 24),
		"nextPageToken: " + d.from(alnum, 64),
		"cursor=" + b64(60),
		"https://docs.internal/d/1" + d.from(dashed, 43) + "/edit",
		"sourceMappingURL=data:application/json;base64," + b64(200),
		"container " + d.from(hexa, 64) + " exited",
		"tx 0x" + d.from(hexa, 64) + " from 0x" + d.from(hexa, 40),
		"key: " + d.from(hexa, 40) + "\npath: ~/.cache",
		"the merge-base is " + d.from(hexa, 40) + " (token bucket rewrite)",
		"pass: " + fmt.Sprint(d.IntN(9000000)) + " of 9000000",
		"go.sum: golang.org/x/sys v0.1.0/go.mod h1:" + d.from(std64, 43) + "=",
	}
	return texts
}

// documented is what is written in place of a credential.
var documented = strings.Split(strings.TrimSpace(`
API_KEY=YOUR_API_KEY
api_key: "your-api-key-here-1234"
OPENAI_API_KEY=sk-...
ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
token: ${GITHUB_TOKEN}
token: ${{ secrets.NPM_TOKEN_2024 }}
password: $DB_PASSWORD
PASSWORD=%DB_PASSWORD_1%
password: <password>
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${ACCESS_TOKEN_V2}
Authorization: Bearer YOUR_TOKEN_GOES_HERE_1
-H "Authorization: Bearer {{token1}}"
Authorization: Basic <base64(user:pass)>
postgres://user:password@localhost:5432/db
postgres://postgres:postgres@localhost/app
postgres://app:${DB_PASS}@db/app
postgres://user:pass@host/db
mysql://root:root@127.0.0.1/test
mysql://user:<password>@host/db
redis://:password@localhost:6379
amqp://guest:guest@localhost:5672/
mongodb://admin:****@cluster/db
https://user:xxxx@host/path
https://x-access-token:${TOKEN}@github.com/acme/x.git
http://localhost:8080/@vite/client
https://unpkg.com:443/@scope/pkg@1.2.3/index.js
ssh://git@github.com:22/acme/x.git
git@github.com:acme/x.git
scheme://user:pass@host
password = "********"
password: [redacted]
password: "[REDACTED]"
secret: [secret: github-token]
GITHUB_TOKEN=[secret: github-token]
client_secret: REPLACE_ME_WITH_A_REAL_ONE_1
secret_key = "changeme-changeme-1"
JWT_SECRET=example-secret-for-tests-0001
API_TOKEN=xxxxxxxxxxxxxxxx1xxxxxxx
api_key: 00000000000000000000000000000000
password: password123
password: changeme
DB_PASSWORD=postgres
MYSQL_ROOT_PASSWORD: root
POSTGRES_PASSWORD=postgres
password=test1234
password: secret
passphrase: ""
token: null
token: "..."
token = "<your token, 40 characters, e.g. a1b2…>"
aws_access_key_id = AKIAXXXXXXXXXXXXXXXX
aws_secret_access_key = ****************************************
xoxb-your-token-goes-here-please-1
xoxb-000000000000-000000000000-xxxxxxxxxxxxxxxxxxxxxxxx
sk_test_xxxxxxxxxxxxxxxxxxxxxxxx
https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX
hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
glpat-xxxxxxxxxxxxxxxxxxxx
AGE-SECRET-KEY-1...
curl -u user:password https://x
curl -u "$USER:$PASS" https://x
curl -u admin:admin http://localhost
docker run -u 1000:1000 alpine
op://Private/Stripe/credential1
secret: op://vault/item-2024/field
password: vault:secret/data/app#db1
DB_PASSWORD: ENC[AES256_GCM,data:x9d8f7s6,iv:aa11,tag:bb22,type:str]
password_hash: $2b$12$KIXQ4o9yM3f5v7B8n9d0eO
secretName: app-tls-2024-prod
secret_arn: arn:aws:secretsmanager:eu-west-1:000011112222:secret:app-x1Y2z3
key_file: /etc/ssl/private/app-2024.key
password_file=/run/secrets/db_pass_1
token_endpoint: https://auth.internal/oauth2/token
`), "\n")

// code is how programs speak of credentials.
var code = strings.Split(strings.TrimSpace(`
password = os.environ["DB_PASSWORD1"]
const token = process.env.GITHUB_TOKEN_2
token := os.Getenv("TOKEN2")
apiKey: process.env.OPENAI_API_KEY ?? ''
secret = settings.SECRET_KEY_V2.get_secret_value()
password = getpass.getpass("Password: ")
password: string
password?: string;
token: str | None = None
def login(user, password=None, token=None):
private readonly apiKey: string,
token = response.headers.get("x-auth-token-2")
token = await getAccessTokenSilently2()
self.token = token2
api_key=config.api_key_v2,
password: z.string().min(8).max(72)
secretKeyRef: {name: app2, key: token1}
if (password !== confirmPassword2) {
password == newPassword2
keyFunc := func(token *jwt.Token) (interface{}, error) {
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased-2019")
max_tokens: 128000, input_tokens=48211, output_tokens: 9123
"cache_read_input_tokens": 1827364, "key": "value1"
const STORAGE_KEY = "dashboard.filters.v2.selected-columns"
localStorage.setItem('authToken', token1)
key={item.id2}
<Input key="user-profile-tab-2024" name="password1" />
primary_key: customer_order_item_id_v2_2024
PRIMARY KEY (tenant_id, user_id2)
sort_key = f"{user_id}#{created_at1}"
foreign key: orders.customer_id_2 -> customers.id
s3 key: backups/2024/11/18/dump-0001.sql.gz
object_key=uploads/user-42/avatar-2x.png
redis key: session:user:42:profile:v2
translation_key: settings.billing.invoice2.title
i18n key = "checkout.step2.payment_method_v1"
registry key: HKLM\Software\Acme\App2\Settings
hotkey: ctrl+shift+p2
partition_key = 'tenant42#2024-11-18#eu-west-1'
token_type: bearer
grant_type=password&username=x
scope: read:token2 write:secret2
auth: oauth2
auth = HTTPBasicAuth(user1, pass1)
auth: middleware.RequireLogin2
authorization: required-for-all-v2-endpoints
"authProvider": "keycloak-24-oidc-prod"
@Input() passwordStrength2 = 0;
passwordResetTokenExpiresAt1 = 3600000
--token-file /run/token2
--password-stdin
--key=path/to/server2.key --cert=server2.crt
ssh-keygen -t ed25519 -f ~/.ssh/id_2
sk-learn-pipeline-classifier-model-v2-final-2024-11
npm_config_registry_cache_directory_2024_path
hf_hub_download(repo_id="acme/model-7b-v2")
re_pattern_for_matching_iso_dates_v2_with_offset
key-value-store-2024-migration-plan-with-steps
pa-rsing_of_arguments_in_the_new_cli_version_2_with_subcommands
sl.internal-tools.services.example.net
SG.Logger.Factory.CreateLogger.With.Very.Long.Names.For.Every.Service.V2
type Secret struct { Name string; Key2 string }
secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "tls2"}}
resource "aws_secretsmanager_secret" "db_2" {}
data.vault_generic_secret.app2.data["password"]
credentials: include
credentialsId: 'jenkins-github-app-2024'
withCredentials([string(credentialsId: 'npm-token-2', variable: 'T')]) {
--- PASS: TestParseName2 (0.00s)
PASS: test_login_with_2fa
pass = 3, fail = 0
pwd: /home/dev/app2
PWD=/srv/app2/releases/20241118
cd "$(pwd)/build2"
passThrough: header2=1
bypass=cache2024a
compass: north2south
monkey = "banana42split"
keyboard: us-intl2
tokens = tokens2[0:128]
keys: a1, b2, c3
print(f"password={password!r}")
`), "\n")

// prose is how people speak of credentials.
var prose = strings.Split(strings.TrimSpace(`
The password is stored in 1Password under "Prod DB".
Password: see 1Password, vault "Team 2".
The token is refreshed every 15 minutes by cron2.
The API key is in .env.local2, never in git.
API key: ask in #ops-2024
Never write the secret into MEMORY.md; it is read from AWS Secrets Manager.
The secret is rotated on 2026-11-18.
Password changed: 2026-11-18
password: 2026-11-18
Passwords need 12 characters, 1 digit, 1 sign.
The key is to keep the index under 200 lines.
The key point: v2.14.3-rc1 broke it.
key insight: PR #4821 removed the retry
A token is 4 bytes on average; the budget is 25,000.
Token count: 128k
token budget: 200000
secret: the tests need -race to fail
Basic usage2: run it twice
Basic dGVzdA is not a login
Bearer of bad news: build 2024.11 failed
bearer tokens-are-validated-by-the-gateway-v2
the auth flow: PKCE with S256
auth: see docs/auth-v2.md
비밀번호는 1Password 에 있다
비밀번호: 8자 이상
비밀번호 정책: 12자 이상, 숫자 1개
암호화: AES256
암호화 방식은 AES-256-GCM
密码：至少8位
密码是 user 表的字段
密码长度: 12
パスワードは8文字以上
パスワード: .env を参照
Das Passwort ist im Tresor, siehe Notiz2.
Le mot de passe est dans le coffre
La contraseña es obligatoria
пароль: см. vault2
Password hashing: argon2id, m=65536
password policy: min12chars
passphrase: (empty)
Use sha256 for the key, base64 for the token.
token: JWT, RS256, 15m
The session key is derived by HKDF-SHA256.
Public key: see keys/2024.pub
Host key verification failed for 10.0.0.12
license key format: XXXX-XXXX-XXXX-XXXX
keyword: dream2024
secret santa is on 2026-12-18 at 18:00
credential helper: osxkeychain2
API keys live in ~/.config/app2/config.toml
The token bucket has 100 tokens, refill 10/s.
The pass rate was 98.7%, up from 91.2%
pass@1: 0.8123
first pass: v1.2.3, second pass: v1.2.4
See https://github.com/acme/app/blob/`+"0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"+`/auth.go#L10
Auth0 tenant: dev-x1y2z3.eu.auth0.com
model: claude-opus-4-5-20251101, key decision: keep it
`), "\n")
