import type { DateUnit } from './date-format.ts'

/** Words that people write and the runtime's tables lack. */
export interface ExtraWords {
  readonly units?: readonly (readonly [phrase: string, unit: DateUnit, times: number])[]
  readonly before?: readonly (readonly [phrase: string, sign: -1 | 1])[]
  readonly after?: readonly (readonly [phrase: string, sign: -1 | 1])[]
  readonly fixed?: readonly (readonly [phrase: string, unit: DateUnit, count: number])[]
  readonly numbers?: readonly (readonly [word: string, count: number])[]
}

function counted(words: string, first = 1): (readonly [string, number])[] {
  return words.split(' ').map((word, index) => [word, index + first])
}

function each<T>(words: string, value: T): (readonly [string, T])[] {
  return words.split(', ').map((word) => [word, value])
}

function units(words: string, unit: DateUnit, times = 1): (readonly [string, DateUnit, number])[] {
  return words.split(', ').map((word) => [word, unit, times])
}

/** One to ten in Russian. */
const TO_TEN = 'один два три четыре пять шесть семь восемь девять десять'

const SOUTH_SLAVIC: ExtraWords = {
  units: [
    ...units('sed, седм', 'week'),
    ...units('mj, mjesec, mjeseci, месеци, месец', 'month'),
    ...units('god, godina, година, годину, године', 'year'),
  ],
  before: [...each('prije, пре, прије', -1 as const), ...each('za, за', 1 as const)],
}

/** By language. */
export const EXTRA_WORDS: { readonly [language: string]: ExtraWords } = {
  en: {
    units: [
      ...units('sec, secs', 'second'),
      ...units('min, mins', 'minute'),
      ...units('hr, hrs', 'hour'),
      ...units('wk, wks', 'week'),
      ...units('mo, mos, mth, mths', 'month'),
      ...units('yr, yrs', 'year'),
      ...units('fortnight, fortnights', 'week', 2),
      ...units('decade, decades', 'year', 10),
    ],
    after: [
      ...each('ago, before, earlier, back', -1 as const),
      ...each('from now, later', 1 as const),
    ],
    fixed: [
      ['day before yesterday', 'day', -2],
      ['day after tomorrow', 'day', 2],
      ['last decade', 'year', -10],
      ['next decade', 'year', 10],
      ['just now', 'second', 0],
      ['moments ago', 'second', 0],
      ['a moment ago', 'second', 0],
    ],
    numbers: [
      ['a', 1],
      ['an', 1],
      ...counted('one two three four five six seven eight nine ten eleven twelve'),
    ],
  },
  de: {
    units: [
      ...units('sek', 'second'),
      ...units('m', 'minute'),
      ...units('std, stunde', 'hour'),
      ...units('tg', 'day'),
    ],
    before: [['im', 1]],
    fixed: [
      ['vorvorgestern', 'day', -3],
      ['gerade eben', 'second', 0],
    ],
    numbers: [
      ...each('ein, eine, einem, einer, eines', 1),
      ...counted('zwei drei vier fünf sechs sieben acht neun zehn elf zwölf', 2),
    ],
  },
  fr: {
    units: [...units('m, mn', 'minute'), ...units('année, années', 'year')],
    before: [...each('il ya, y a, depuis, moins de', -1 as const), ['en', 1]],
    after: [
      ['plus tard', 1],
      ['plus tôt', -1],
    ],
    fixed: [['à l’instant', 'second', 0]],
    numbers: [
      ['une', 1],
      ...counted('un deux trois quatre cinq six sept huit neuf dix onze douze'),
    ],
  },
  es: {
    before: [['en', 1]],
    after: [...each('atrás, antes', -1 as const), ...each('después, más tarde', 1 as const)],
    numbers: [
      ['una', 1],
      ...counted('un dos tres cuatro cinco seis siete ocho nueve diez once doce'),
    ],
  },
  pt: {
    before: [['há', -1]],
    after: [...each('atrás, antes', -1 as const), ...each('depois, mais tarde', 1 as const)],
    numbers: [
      ['uma', 1],
      ['duas', 2],
      ...counted('um dois três quatro cinco seis sete oito nove dez onze doze'),
    ],
  },
  it: {
    after: [['dopo', 1]],
    numbers: [
      ['una', 1],
      ['uno', 1],
      ...counted('un due tre quattro cinque sei sette otto nove dieci undici dodici'),
    ],
  },
  nl: {
    units: units('uren', 'hour'),
    numbers: [
      ['een', 1],
      ...counted('één twee drie vier vijf zes zeven acht negen tien elf twaalf'),
    ],
  },
  pl: { numbers: counted('jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć') },
  cs: {
    units: units('vteřina, vteřinu, vteřiny, vteřin', 'second'),
    before: [['před', -1]],
    after: [['před', -1]],
  },
  ru: {
    after: [['спустя', 1]],
    numbers: [['одну', 1], ['две', 2], ...counted(TO_TEN)],
  },
  be: {
    after: [
      ['назад', -1],
      ['таму назад', -1],
    ],
  },
  uk: { after: [['назад', -1]] },
  tr: { after: [['içinde', 1]], fixed: [['gelecek yıl', 'year', 1]] },
  sv: { numbers: each('en, ett', 1) },
  da: { numbers: each('en, et', 1) },
  nb: { numbers: each('en, et', 1) },
  nn: { units: units('timer', 'hour'), numbers: each('ein, ei, eit', 1) },
  no: { numbers: each('en, et', 1) },
  hi: { units: [...units('वर्ष', 'year'), ...units('दशक', 'year', 10)], after: [['बाद', 1]] },
  bn: {
    units: units('ঘন্টা', 'hour'),
    after: [
      ['আগে', -1],
      ['পূর্বে', -1],
    ],
  },
  zh: {
    units: [
      ...units('分鐘', 'minute'),
      ...units('小時, 个小时, 個小時', 'hour'),
      ...units('日, 天', 'day'),
      ...units('周, 週, 星期, 个星期, 個星期, 礼拜', 'week'),
      ...units('月, 个月, 個月', 'month'),
    ],
    after: [...each('前, 以前, 之前', -1 as const), ...each('后, 後, 以后, 之后', 1 as const)],
  },
  id: { after: [['lalu', -1]] },
  ar: {
    before: [['منذ', -1]],
    fixed: [
      ['منذ دقيقتين', 'minute', -2],
      ['منذ ساعتين', 'hour', -2],
      ['منذ يومين', 'day', -2],
      ['منذ أسبوعين', 'week', -2],
      ['منذ شهرين', 'month', -2],
      ['منذ سنتين', 'year', -2],
      ['منذ عامين', 'year', -2],
    ],
  },
  bs: SOUTH_SLAVIC,
  hr: SOUTH_SLAVIC,
  sr: SOUTH_SLAVIC,
}
