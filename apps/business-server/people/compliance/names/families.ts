/*
 * Names that are one name in several languages and spellings, a line each. `soundOf` knows most spellings of a name; a family
 * has those that sound otherwise.
 */

/** That many people have, so that they say less about who it is. */
export const FAMILIES_OF_MANY = `
muhammad mohammed mohamed mohammad mehmet mehmed mohamud muxammad magomed mukhammad mohd md mhd muh محمد
ahmad ahmed akhmad akhmed ahmet achmad achmed أحمد احمد
mahmud mahmoud mahmood makhmud mahmut محمود
hamid hameed khamid حميد حامد
ali aly علي علی
hassan hasan khasan حسن
hussein husain hussain hossein huseyin khusein hossain hussien حسين حسین
abdallah abdullah abdulla abdellah abdollah abdoulaye عبدالله
rahman rehman rakhman الرحمن رحمن
khan xan خان
shah شاه
ibrahim ebrahim ibragim brahim إبراهيم ابراهيم
yusuf yousef youssef yousuf youcef yosef jusuf yusif يوسف
joseph josef iosif josip
ismail esmail ismael إسماعيل اسماعيل
omar umar omer oumar عمر
uthman osman othman usman ousmane usmane عثمان
khalid khaled chaled halid chalid خالد
said saeed saiid سعيد سعید
sayyid sayed syed seyed سيد سید
salih saleh صالح
salim saleem selim سليم سالم
hamza hamzah حمزة
mustafa mostafa moustafa mustapha مصطفى مصطفی
musa moussa moosa موسى موسی
issa isa eisa عيسى
dawud daoud dawood daud davud داود داوود
sulayman suleiman soleiman suleyman sleiman souleymane سليمان
yaqub yacoub yaqoob yakub يعقوب
ishaq ishak اسحاق
jamal djamal gamal djamel cemal جمال
jafar jaafar djafar djaafar جعفر
karim kareem kerim abdulkarim كريم کریم
nasir naser nasser nacer ناصر
rashid rasheed rachid راشد رشيد
tariq tarek tarik طارق
abu aboe abou ابو أبو
umm oum ام
haji hajji hadji hajj hadj haci حاجی حاجي الحاج
mullah mulla molla mawlawi maulavi maulvi maulawi mohlavi ملا مولوی
shaykh sheikh sheik shaikh cheikh scheich شيخ الشيخ
din deen eddine الدين
john jon
ivan iwan
johann johannes hans
vladimir volodymyr wladimir uladzimir
alexander aleksandr alexandr oleksandr aliaksandr
alexei aleksei alexey oleksiy oleksii aliaksei
mikhail mykhailo mykhaylo mihail
nikolai nikolay mykola mikola mikalai
sergei sergey serguei serhiy serhii siarhei
andrei andrey andriy andrii
dmitri dmitry dmytro dmitriy dzmitry
evgeni evgeny yevgeny yevhen jewgeni eugeny yauhen
yuri yury iouri juri
georgy georgiy heorhiy georgi
viktor victor viktar
igor ihor
pavel pavlo
petr pyotr petro piotr
konstantin kostyantyn kanstantsin
oleg oleh aleh
gennady hennadiy
grigory hryhoriy
vasily vasyl wassili
stepan stefan
fyodor fedor fedir
ilya illia
kirill kyrylo
yulia julia iuliia
elena olena yelena
tatiana tetiana tetyana tatjana
anna hanna
maria mariya mariia
olga olha
ekaterina kateryna yekaterina katerina
jose
carlos
francisco
antonio
garcia
rodriguez
smith schmidt schmitt schmid
kim gim 김
ri lee li rhee yi 이 리
pak park bak 박
choe choi tchoi 최
jong jeong chong jung chung cheong 정
jang chang 장
jon jeon chon chun 전
ryu yoo ryoo 유 류
kang gang 강
rim lim im 임 림
han 한
song 송
sin shin 신
paek baek paik back 백
yong young yeong 영
yon yeon youn 연
myong myung myeong 명
hyon hyun hyeon 현
chol chul cheol 철
su soo 수
u woo 우
un eun 은
kyong kyung gyeong 경
chang 창
kwang gwang 광
kuk guk gook 국
nguyen
singh
kumar
`

/** That few people have. */
export const FAMILIES_OF_FEW = `
usama osama oussama أسامة اسامة
ayman aymen أيمن ايمن
bakr bakar bekr baker بكر
faruq farouk farooq فاروق
qadir kadir qader gadir قادر
qasim kassem ghasem قاسم
bashir beshir بشير
zubayr zubair الزبير زبير
jihad djihad cihad جهاد
fadl fazl fazal فضل
fadil fazil fadel فاضل
riyad riyadh reyad رياض
diya zia dhia ضياء
rida reza ridha raza رضا
qadhafi gaddafi gadhafi kadhafi القذافي
kurdistan kordestan
`

/** Words of firms, places and payments: they say little of who it is. */
export const OF_FIRMS =
  'trading trade company general international intl group holding holdings services service industries industrial industry ' +
  'import export imports exports bank banque banco enterprise enterprises business commercial commerce shipping maritime ' +
  'marine logistics transport construction contracting development investment investments national state ' +
  'technology technologies engineering electronics petroleum oil gas energy foundation organization organisation ' +
  'corporation establishment factory plant works center centre institute research consulting management ' +
  'global world exchange money hawala sarafi shirkat firma handel handels associates partners brothers bros sons son ' +
  'flat house building street road avenue str rd ave box po floor city town account konto payment invoice rechnung transfer'

/** Titles, legal forms and words between names, which say nothing of who it is. */
export const OF_NOBODY =
  'mr mrs ms miss dr prof sir shri smt herr frau sr sra don dona mme mlle the and of for und et or ' +
  'ltd limited llc inc incorporated corp co gmbh ag sa sarl srl bv nv plc pvt private ooo oao zao pjsc ' +
  'ojsc cjsc jsc pao ao kg kgaa ug spa sas eurl ab as oy aps kk pte pty sdn bhd fze fzco ltda cia ' +
  'al el ul ad ar ash az ur wal bin ben ibn bint binti bte von van der den de di da do dos das del della la le los las du af zu y e'

/** What stands between the names of two holders of one account. */
export const BETWEEN_HOLDERS = / (?:or|and|und|oder|et|ou|y|c\/o) | ?[\/&;|+] ?/i
