package rank

import "strings"

// The words that bind or only ask, by language. They are what a question is made of and its answer
// is not. Forms are lower case; what an apostrophe cuts off (s, t, d, l) stands here too.
const (
	stopEnglish = `a about all also an and any are as at be because been before being but by can could did do does doing
done for from had has have having he her here hers him his how i if in into is it its just let me more most my mine no
nor not now of off on once only or other our ours out over own please s same she should so some someone somebody
something such t than that the their them then there these they this those to too under until up us very was we were
what when where which while who whom whose why will with would you your yours d ll m re ve am kind type sort
anything ever many much tell say said know`
	stopGerman = `aber alle als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den der des
die dies diese diesem diesen dieser doch du durch ein eine einem einen einer eines er es für gab gegen haben habe hat
hatte hatten ich ihr ihre ihm ihn ihnen im in ins ist ja kann können man mein meine mir mich mit nach nicht noch nun nur
ob oder schon sein seine sich sie sind so über um und uns unser unsere unter von vom vor war waren was welche welchem
welchen welcher welches wenn wer wem wen werden wird wurde wurden wie wieviel viel viele wann warum wo woher wohin womit
worüber wofür wozu zu zum zur`
	stopFrench = `a ai as au aux avec avait ce ces cet cette ceux chez comme comment d dans de des depuis donc du elle elles
en entre est et été était être eu fait faire il ils j je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on
ont ou où par pas peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont sur t
ta te tes toi ton tu un une vos votre vous y combien lequel date ci là`
	stopSpanish = `a al algo como cómo con cual cuál cuales cuáles cuando cuándo cuanto cuánto cuántos cuántas de del desde
donde dónde e el él ella ellos en entre era es esa ese eso esta está este esto estos fue fueron ha han hasta hay he la las le les lo los
más me mi mis muy nos no nuestro o para pero por porque qué que quien quién se ser si sí sin sobre son su sus también te
tiene tu tus un una uno unos usa y ya yo`
	stopPortuguese = `a ao aos as até com como da das de dela dele do dos e é ela ele em entre era essa esse esta está este eu
foi foram há isso já lhe mais mas me meu minha muito na nas não nem no nos nós nosso nossa num numa o onde os ou para pela pelo
por porque qual quais quando quanto quantos quantas que quem se sem ser seu sua são só também te tem teve um uma você fica`
	stopItalian = `a ad al alla alle anche che chi ci come con cosa cui da dal dalla degli dei del della delle di dove e è ed
era fra gli ha hai hanno ho i il in io la le lei lo loro lui ma mi mia mio ne nei nel nella noi non nostro o per perché più qual
quale quali quando quanto quanti questa questo sei si sono su sua sul sulla suo ti tra tu un una uno`
	stopDutch = `aan al als bij dan dat de den deze die dit door een en er had heb hebben heeft het hij hoe hoeveel ik in is je jij
jou kan maar mij mijn met na naar niet nog nu of om onder ons onze ook op over te toen tot uit van veel voor waar waarom was wat
we wel welke wie wij worden wordt zal ze zich zij zijn zo`
	stopRussian = `а без бы был была были было в вам вас ваш во вот все всё вы где да для до его ее её если есть ещё же за и из
или им их к как какая какие какой какую ко когда кого кому который куда ли мне меня мой моя мы на над нам нас наш не нет него
ни но ну о об он она они от откуда по под почему при с сколько со так там тебе тебя то тоже только тот ты у уже чего чем что
чтобы эта эти это этот я`
)

// Words that a question holds for its grammar's sake more often than for its subject's, by language where they
// differ; they count less.
const lightWords = `make take get go come give put use want need see think look happen work thing name new old day time way
long far end plan place people lot machen nehmen gehen geben kommen neu name heißen prendre mettre aller nouveau hacer
poner tomar ir nuevo`

// What an English question's "did" asks for, and its answer says: the first form and the others. The
// stemmer knows the regular ones.
const irregularEnglish = `arise arose arisen, awake awoke awoken, bear bore borne, beat beaten, become became, begin began
begun, bend bent, bet, bind bound, bite bit bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring
brought, build built, burn burnt, buy bought, catch caught, choose chose chosen, cling clung, come came, creep crept, deal
dealt, dig dug, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed
fed, feel felt, fight fought, find found, flee fled, fly flew flown, forbid forbade forbidden, forget forgot forgotten,
forgive forgave forgiven, freeze froze frozen, get got gotten, give gave given, go went gone, grow grew grown, hang hung,
hear heard, hide hid hidden, hold held, keep kept, kneel knelt, lay laid, lead led, lean leant, leap leapt, learn learnt,
leave left, lend lent, light lit, lose lost, make made, mean meant, meet met, overcome overcame, pay paid, prove proven,
rebuild rebuilt, ride rode ridden, ring rang rung, rise rose risen, run ran, see saw seen, seek sought, sell sold, send
sent, shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit
sat, sleep slept, slide slid, speak spoke spoken, speed sped, spend spent, spill spilt, spin spun, split, spoil spoilt,
spring sprang sprung, stand stood, steal stole stolen, stick stuck, sting stung, strike struck, strive strove, swear swore
sworn, sweep swept, swim swam swum, swing swung, take took taken, teach taught, tear tore torn, think thought, throw threw
thrown, understand understood, undo undid undone, wake woke woken, wear wore worn, weave wove woven, weep wept, win won,
wind wound, withdraw withdrew withdrawn, write wrote written, child children, person people, man men, woman women, foot
feet, tooth teeth, mouse mice, wife wives, life lives, knife knives, leaf leaves, half halves, good better best,
bad worse worst, marry marriage, decide decision, die died dies dying death, lie lied lies lying, tie tied ties tying, choose choice, sell sale, fly flight, grow growth, weigh
weight, lose loss, prove proof, believe belief, advise advice, analyse analysis analyze, colour color`

const irregularGerman = `beginnen begann begonnen, bleiben blieb geblieben, brechen brach gebrochen, bringen brachte gebracht,
denken dachte gedacht, essen aß gegessen, fahren fuhr gefahren fährt, fallen fiel gefallen fällt, finden fand gefunden, fliegen flog
geflogen, geben gab gegeben gibt, gehen ging gegangen, gewinnen gewann gewonnen, halten hielt gehalten hält, helfen half
geholfen hilft, heißen hieß geheißen, kommen kam gekommen, lassen ließ gelassen lässt, laufen lief gelaufen läuft, lesen las gelesen
liest, liegen lag gelegen, nehmen nahm genommen nimmt, rufen rief gerufen, schlafen schlief geschlafen schläft, schließen
schloss geschlossen, schneiden schnitt geschnitten, schreiben schrieb geschrieben, sehen sah gesehen sieht, senden sandte
gesandt, sprechen sprach gesprochen spricht, stehen stand gestanden, steigen stieg gestiegen, sterben starb gestorben,
treffen traf getroffen trifft, trinken trank getrunken, tun tat getan, vergessen vergaß vergisst, verlieren verlor
verloren, wachsen wuchs gewachsen, werfen warf geworfen, wissen wusste gewusst weiß, ziehen zog gezogen`

// Words that people and programs use for one thing: first those of work on software, then those of a
// life. One word stands for the others at half its worth.
const synonyms = `deploy release ship rollout publish upload, production prod live, server host machine box, staging
testbed, outage downtime incident crash, bug defect error failure fault, fix repair solve resolve patch, slow latency
performance speed, fast quick speed, delete remove erase wipe drop purge, credential secret password token key, tls https
ssl certificate, database db postgres mysql sqlite, repository repo git, branch trunk, commit merge, config setting
configuration option, test spec suite, flaky unstable intermittent, login auth authentication signin, permission access
role, directory folder, file document, dependency library package module, api endpoint route, backup dump snapshot, log
journal, cron schedule nightly, queue worker, cache memoize, limit cap maximum, container docker podman, frontend ui
interface dashboard, user customer client, reason cause why because, prefer like favourite favorite, dislike hate, want
wish demand require request, refuse reject forbid never, agree approve, decide settle choose, change modify update alter,
begin start launch, end finish stop, create make build, rename call, send notify alert warn message, store save keep, ask
request, explain describe, reduce lower decrease shrink, increase raise grow, replace swap substitute, move migrate
relocate transfer, buy purchase order, cost price pay, cheap inexpensive, job work career profession position occupation,
boss manager supervisor, colleague coworker teammate, company employer firm, hire recruit, quit resign leave, mother mum mom, father
dad, parent mother father, child kid son daughter, sibling brother sister, grandmother grandma, grandfather grandpa, spouse
husband wife partner, marry wedding married, engaged fiancé fiancée proposal, holiday vacation trip travel, trip journey
travel tour, house home flat apartment, live reside stay, city town, car vehicle automobile, bike bicycle, doctor
physician vet, hospital clinic, sick ill, happy glad thrilled, sad upset cry unhappy, afraid scared terrified nervous,
friend pal, dog puppy pet, cat kitten pet, hobby pastime activity, picture photo image painting, film movie, song music
band, concert gig show, study learn course class, teacher instructor, school university college, exam test certificate,
prize award trophy, gift present, party celebration celebrate, eat food meal dish cook, run jog marathon, swim pool, hike
walk trek, read book novel, lesson class, injure hurt injury accident, support help assist, volunteer charity, money
fund budget, win victory, lose defeat, attend join visit, adopt adoption, receive get obtain, plan intend, research
investigate study, big large huge, small tiny little, old elderly, new recent`

// What a question asks for by its first words, and what an answer to it holds.
const (
	asksTime  = `when date wann quand cuándo cuando quando когда wanneer`
	asksCount = `many much combien cuánto cuántos cuántas quanto quantos quanti wieviel viel viele hoeveel сколько tall long old fast far percent percentage number price cost`
	tellsTime = `yesterday today tomorrow tonight ago last next week month year weekend morning evening monday tuesday wednesday
thursday friday saturday sunday january february march april may june july august september october november december spring
summer autumn winter since until recently gestern heute morgen woche monat jahr hier demain semaine mois ayer hoy mañana semana
ontem hoje вчера сегодня завтра`
	numbers = `one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy eighty
ninety hundred thousand million half third quarter dozen couple zwei drei vier fünf sechs sieben acht neun zehn zwölf hundert
deux trois quatre cinq sept huit neuf dix cent dos tres cuatro cinco seis siete ocho nueve diez cien`
)

// months, language by language: the place in the list, modulo twelve, is the month.
const months = `january february march april may june july august september october november december
januar februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре`

// What a question in a dense script is made of besides its subject. Longer ones first.
var stopDense = []string{
	"为什么", "為什麼", "什么时候", "什麼時候", "什么", "什麼", "怎么样", "怎么", "怎麼", "哪里", "哪裡", "哪儿", "哪个", "哪些", "多少", "可以",
	"时候", "我们", "我們", "他们", "谁", "誰", "吗", "嗎", "呢", "的", "了", "是",
	"ありました", "ありますか", "ましたか", "でしたか", "ますか", "ですか", "しました", "なぜ", "どこ", "いつ", "どの", "どう", "どんな", "いくつ", "何", "ました", "ます", "です",
	"무엇인가요", "무엇", "언제", "어디", "누가", "누구", "어떻게", "어떤", "얼마", "인가요", "했나요", "하나요", "나요", "까지", "에서", "으로", "습니다", "입니다",
}

// Pronouns of the dense scripts, by whom they mean; those of both together mean neither.
var (
	selfDense  = []string{"我", "私", "僕", "제가", "내가", "저는"}
	otherDense = []string{"你", "您", "あなた", "당신"}
	bothDense  = strings.NewReplacer("我们", "", "我們", "", "你们", "", "私たち", "")
)
