package secret

import (
	stdbase64 "encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// shape is a credential with letters of its own: a prefix, then a body of one alphabet that ends where the
// alphabet does.
type shape struct {
	kind     string
	prefixes []string
	body     *alphabet
	min, max int  // bytes of the body; max 0: any, as where the alphabet holds separators
	capitals bool // the body may be of capitals alone
	alone    bool // it begins a word: its prefix is a word, or the end of many

	head             *alphabet // of what is before the prefix; nil: nothing is
	minHead, maxHead int       // bytes of it
	form             string    // an expression that the whole must match
}

// alphabet is a set of bytes.
type alphabet [256]bool

func alphabetOf(ranges ...string) *alphabet {
	var a alphabet
	for _, r := range ranges {
		for c := int(r[0]); c <= int(r[len(r)-1]); c++ {
			a[c] = true
		}
	}
	return &a
}

// The alphabets of bodies.
var (
	digits = alphabetOf("0-9")
	hexa   = alphabetOf("0-9", "a-f", "A-F")
	alnum  = alphabetOf("0-9", "a-z", "A-Z")
	upper  = alphabetOf("0-9", "A-Z")
	word   = alphabetOf("0-9", "a-z", "A-Z", "_")
	dashed = alphabetOf("0-9", "a-z", "A-Z", "_", "-")
	dotted = alphabetOf("0-9", "a-z", "A-Z", "_", "-", ".")
	base64 = alphabetOf("0-9", "a-z", "A-Z", "+", "/", "=")
	padded = alphabetOf("0-9", "a-z", "A-Z", "_", "-", "+", "/", "=", ".")
)

// shapes are the credentials with a prefix, as their makers document them or issue them (November
// 2026). The lengths are the shortest in use; where an alphabet has no separator, and one length is in
// use, it is also the longest.
var shapes = []shape{
	// clouds
	{kind: "aws-access-key", prefixes: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, body: upper, min: 16, max: 16, capitals: true},
	{kind: "aws-bedrock-key", prefixes: []string{"ABSK", "bedrock-api-key-"}, body: base64, min: 100},
	{kind: "google-api-key", prefixes: []string{"AIza"}, body: dashed, min: 35},
	{kind: "google-oauth", prefixes: []string{"GOCSPX-"}, body: dashed, min: 28},
	{kind: "google-oauth", prefixes: []string{"ya29."}, body: dotted, min: 40},
	{kind: "google-oauth", prefixes: []string{"1//0"}, body: dashed, min: 40},
	{kind: "digitalocean-token", prefixes: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, body: hexa, min: 64, max: 64},
	{kind: "heroku-key", prefixes: []string{"HRKU-"}, body: dashed, min: 36},
	{kind: "cloudflare-token", prefixes: []string{"cfut_", "cfat_", "cfk_"}, body: alnum, min: 40},
	{kind: "cloudflare-token", prefixes: []string{"v1.0-"}, body: dashed, min: 140},
	{kind: "alibaba-access-key", prefixes: []string{"LTAI"}, body: alnum, min: 12, max: 20},
	{kind: "fly-token", prefixes: []string{"fo1_", "fm1a_", "fm1r_", "fm2_"}, body: padded, min: 40},
	{kind: "netlify-token", prefixes: []string{"nfp_"}, body: alnum, min: 36},
	{kind: "vercel-token", prefixes: []string{"vercel_blob_rw_", "vcp_", "vci_", "vca_", "vcr_", "vck_"}, body: word, min: 24},
	{kind: "supabase-key", prefixes: []string{"sbp_"}, body: hexa, min: 40, max: 40},
	{kind: "supabase-key", prefixes: []string{"sb_secret_"}, body: dashed, min: 30},
	{kind: "planetscale-token", prefixes: []string{"pscale_tkn_", "pscale_pw_", "pscale_oauth_"}, body: dashed, min: 32},
	{kind: "databricks-token", prefixes: []string{"dapi"}, alone: true, body: hexa, min: 32, max: 32},

	// forges and registries
	{kind: "github-token", prefixes: []string{"ghp_", "gho_", "ghu_", "ghr_"}, body: alnum, min: 36},
	{kind: "github-token", prefixes: []string{"ghs_"}, body: dotted, min: 36}, // since 2026 also with a JWT
	{kind: "github-token", prefixes: []string{"github_pat_"}, body: word, min: 60},
	{kind: "gitlab-token", prefixes: []string{"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "GR1348941"}, body: dotted, min: 20},
	{kind: "atlassian-token", prefixes: []string{"ATATT3", "ATCTT3", "ATBB"}, body: padded, min: 32},
	{kind: "npm-token", prefixes: []string{"npm_"}, body: alnum, min: 36, max: 36},
	{kind: "pypi-token", prefixes: []string{"pypi-AgE"}, body: dashed, min: 50},
	{kind: "rubygems-key", prefixes: []string{"rubygems_"}, body: hexa, min: 48, max: 48},
	{kind: "crates-token", prefixes: []string{"cio"}, alone: true, body: alnum, min: 32, max: 32},
	{kind: "nuget-key", prefixes: []string{"oy2"}, alone: true, body: alnum, min: 43, max: 43},
	{kind: "docker-token", prefixes: []string{"dckr_pat_", "dckr_oat_"}, body: dashed, min: 27},
	{kind: "artifactory-key", prefixes: []string{"AKCp"}, body: alnum, min: 60},
	{kind: "circleci-token", prefixes: []string{"CCIPAT_", "CCIPRJ_"}, body: word, min: 40},
	{kind: "buildkite-token", prefixes: []string{"bkua_"}, body: hexa, min: 40, max: 40},
	{kind: "sonar-token", prefixes: []string{"sqp_", "squ_", "sqa_"}, body: hexa, min: 40, max: 40},
	{kind: "pulumi-token", prefixes: []string{"pul-"}, body: hexa, min: 40, max: 40},

	// vendors of models
	{kind: "anthropic-key", prefixes: []string{"sk-ant-"}, body: dashed, min: 40},
	{kind: "openai-key", prefixes: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, body: dashed, min: 40},
	{kind: "openrouter-key", prefixes: []string{"sk-or-v1-"}, body: hexa, min: 64, max: 64},
	{kind: "langfuse-key", prefixes: []string{"sk-lf-"}, body: dashed, min: 36},
	{kind: "openai-key", prefixes: []string{"sk-"}, body: alnum, min: 32}, // and DeepSeek, Moonshot, LiteLLM …
	{kind: "cerebras-key", prefixes: []string{"csk-"}, body: alnum, min: 40},
	{kind: "groq-key", prefixes: []string{"gsk_"}, body: alnum, min: 40},
	{kind: "xai-key", prefixes: []string{"xai-"}, body: alnum, min: 60},
	{kind: "huggingface-token", prefixes: []string{"hf_", "api_org_"}, body: alnum, min: 34},
	{kind: "replicate-token", prefixes: []string{"r8_"}, body: alnum, min: 37},
	{kind: "perplexity-key", prefixes: []string{"pplx-"}, body: alnum, min: 48},
	{kind: "nvidia-key", prefixes: []string{"nvapi-"}, body: dashed, min: 60},
	{kind: "fireworks-key", prefixes: []string{"fw_"}, alone: true, body: alnum, min: 22},
	{kind: "together-key", prefixes: []string{"tgp_v1_"}, body: dashed, min: 40},
	{kind: "pinecone-key", prefixes: []string{"pcsk_"}, body: word, min: 60},
	{kind: "voyage-key", prefixes: []string{"pa-"}, alone: true, body: dashed, min: 43},
	{kind: "langsmith-key", prefixes: []string{"lsv2_pt_", "lsv2_sk_"}, body: word, min: 42},
	{kind: "tavily-key", prefixes: []string{"tvly-"}, body: dashed, min: 32},
	{kind: "firecrawl-key", prefixes: []string{"fc-"}, alone: true, body: hexa, min: 32, max: 32},
	{kind: "elevenlabs-key", prefixes: []string{"sk_"}, body: hexa, min: 48, max: 48},
	{kind: "cursor-key", prefixes: []string{"crsr_", "key_"}, alone: true, body: hexa, min: 64, max: 64},

	// messages, mail, money
	{kind: "slack-token", prefixes: []string{"xoxb-", "xoxp-", "xoxa-", "xoxs-", "xoxr-", "xoxo-", "xoxd-", "xoxc-", "xoxe-", "xoxe.", "xapp-"}, body: padded, min: 30},
	{kind: "slack-webhook", prefixes: []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"}, body: padded, min: 40},
	{kind: "discord-webhook", prefixes: []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}, body: padded, min: 70},
	{kind: "sendgrid-key", prefixes: []string{"SG."}, body: dotted, min: 60},
	{kind: "mailgun-key", prefixes: []string{"key-"}, alone: true, body: hexa, min: 32, max: 32},
	{kind: "brevo-key", prefixes: []string{"xkeysib-", "xsmtpsib-"}, body: dashed, min: 64},
	{kind: "resend-key", prefixes: []string{"re_"}, alone: true, body: word, min: 30},
	{kind: "stripe-key", prefixes: []string{"sk_live_", "rk_live_", "sk_test_", "rk_test_"}, body: alnum, min: 24},
	{kind: "stripe-webhook-secret", prefixes: []string{"whsec_"}, body: base64, min: 32},
	{kind: "payment-key", prefixes: []string{"live_", "test_sk_", "live_sk_"}, body: word, min: 24},
	{kind: "square-token", prefixes: []string{"sq0csp-", "sq0atp-"}, body: dashed, min: 22},
	{kind: "shopify-token", prefixes: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, body: hexa, min: 32, max: 32},

	// tools of work and watch
	{kind: "vault-token", prefixes: []string{"hvs.", "hvb.", "hvr."}, body: dotted, min: 24},
	{kind: "1password-token", prefixes: []string{"ops_eyJ"}, body: padded, min: 100},
	{kind: "doppler-token", prefixes: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."}, body: dotted, min: 40},
	{kind: "age-key", prefixes: []string{"AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1", "age-secret-key-1"}, body: alnum, min: 58},
	{kind: "notion-token", prefixes: []string{"ntn_", "secret_"}, alone: true, body: alnum, min: 43},
	{kind: "linear-key", prefixes: []string{"lin_api_", "lin_oauth_"}, body: alnum, min: 40},
	{kind: "figma-token", prefixes: []string{"figd_", "figo_", "figu_"}, body: dashed, min: 40},
	{kind: "postman-key", prefixes: []string{"PMAK-"}, body: dashed, min: 59},
	{kind: "sentry-token", prefixes: []string{"sntrys_", "sntryu_"}, body: padded, min: 64},
	{kind: "grafana-token", prefixes: []string{"glsa_", "glc_"}, body: padded, min: 32},
	{kind: "newrelic-key", prefixes: []string{"NRAK-"}, body: upper, min: 27, max: 27},
	{kind: "dropbox-token", prefixes: []string{"sl."}, alone: true, body: dashed, min: 100},
	{kind: "airtable-token", prefixes: []string{"pat"}, alone: true, body: dotted, min: 79},
	{kind: "twilio-key", prefixes: each("SK%s", "0123456789abcdef"), body: hexa, min: 31, max: 31},

	// with the prefix in the middle, or a form
	{kind: "jwt", prefixes: []string{"eyJ"}, alone: true, body: dotted, min: 40, form: `^eyJ[\w-]+\.eyJ[\w-]*\.[\w.-]{20,}$`},
	{kind: "telegram-token", prefixes: []string{":AA"}, head: digits, minHead: 8, maxHead: 10, body: dashed, min: 33},
	{kind: "terraform-token", prefixes: []string{".atlasv1."}, head: alnum, minHead: 14, maxHead: 14, body: dotted, min: 50},
	{kind: "azure-key", prefixes: []string{"JQQJ99"}, head: alnum, minHead: 52, maxHead: 52, body: dotted, min: 20},
	{kind: "azure-key", prefixes: each("%sQ~", "0123456789"), head: dotted, minHead: 3, maxHead: 3, body: dotted, min: 31},
	// A bot's number in base64, of which the first three letters hold two digits, six letters of time, a sum.
	{kind: "discord-token", prefixes: discordPrefixes(), alone: true, body: dotted, min: 54, form: `^\w{23,60}\.[\w-]{6}\.[\w-]{27,}$`},
}

// each returns a format once for each character: two letters of a prefix are too few for an anchor.
func each(format, characters string) []string {
	var prefixes []string
	for _, c := range characters {
		prefixes = append(prefixes, fmt.Sprintf(format, string(c)))
	}
	return prefixes
}

func discordPrefixes() []string {
	var prefixes []string
	for n := 10; n < 100; n++ {
		prefixes = append(prefixes, stdbase64.StdEncoding.EncodeToString(fmt.Append(nil, n, "0"))[:3])
	}
	return prefixes
}

// matcher returns what finds a shape, the nth of the table, by a prefix of that length.
func (sh shape) matcher(nth, prefix int) func(s *scan, at int) (find, bool) {
	form := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(sh.form) })
	return func(s *scan, at int) (find, bool) {
		from := at
		if sh.head != nil {
			from = sh.head.back(s.text, at, sh.maxHead+1)
		}
		if head := at - from; at < s.tried[nth] || from < s.end || head < sh.minHead || head > sh.maxHead ||
			!s.begins(from) && (sh.alone || sh.head != nil || !s.within(at, prefix)) {
			return find{}, false
		}
		end := sh.body.run(s.text, at+prefix)
		if s.tried == nil {
			s.tried = make(map[int]int)
		}
		s.tried[nth] = end
		body := strings.TrimRight(s.text[at+prefix:end], ".-/") // the signs of a sentence
		end = at + prefix + len(body)
		switch {
		case len(body) < sh.min, sh.max > 0 && len(body) > sh.max, end < len(s.text) && alnum[s.text[end]]:
			return find{}, false
		case !random(body) && !(sh.capitals && entropy(body) >= minEntropy && !placeholder(body)):
			return find{}, false
		}
		return find{Span: Span{From: from, To: end, Kind: sh.kind}, shaped: true}, form().MatchString(s.text[from:end])
	}
}

// begins reports whether a word, or what follows a credential or an escape, begins at a place. What follows
// a dash within a word is the rest of it, as in base64 for addresses.
func (s *scan) begins(at int) bool {
	if at <= s.end || !word[s.text[at-1]] {
		return at <= s.end+1 || s.text[at-1] != '-' || !word[s.text[at-2]]
	}
	return escapeLast.MatchString(s.text[max(0, at-len(`\U0001f600`)):at])
}

// within reports whether a credential may begin at a place within a word: after words, not after random
// letters, and not where its prefix is the end of a word, as in "task-".
func (s *scan) within(at, prefix int) bool {
	const least, most = 4, 32
	before := s.text[max(s.end, dashed.back(s.text, at, most)):at]
	return len(before) < most && scatter(before) < 2*minScatter && (prefix >= least || before[len(before)-1] == '_') && !strings.HasSuffix(before, "pk_")
}

// run returns where the bytes of the alphabet end that begin at from.
func (a *alphabet) run(text string, from int) int {
	for from < len(text) && a[text[from]] {
		from++
	}
	return from
}

// count returns how many bytes of the alphabet a text begins with, and at most so many.
func (a *alphabet) count(text string, most int) int {
	return a.run(text[:min(len(text), most)], 0)
}

// back returns where the bytes of the alphabet begin that end at to, most of them at most.
func (a *alphabet) back(text string, to, most int) int {
	from := to
	for from > 0 && to-from < most && a[text[from-1]] {
		from--
	}
	return from
}
