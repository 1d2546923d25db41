import { isAmount } from './around-number.ts'
import { isCounted } from './count-words.ts'
import { knownTag } from './date-format.ts'
import { plainWord, remembered } from './date-words.ts'

/** A word after a number that may multiply it: `million`, `Mio.`, `k`, `万`. */
export interface Scale {
  /**
   * The exponent of the power of ten by which the word multiplies; 0 for no factor. `null`: it
   * cannot be known.
   */
  readonly power: number | null
  /** A further factor of the number: 12 for a dozen. */
  readonly times: number
  /** Number of characters after the number that belong to the word. */
  readonly length: number
  /**
   * True if the word may be a unit. Then other numbers of the page do not show how to read this
   * number.
   */
  readonly mayBeUnit: boolean
}

/** Facts about the number before it. */
export interface ScaledNumber {
  /** The digits, with their separators. */
  readonly digits: string
  /** The text before them. */
  readonly before: string
  /** BCP 47 tag of the language. `null`: not known. */
  readonly language: string | null
}

/** Number of characters after a number in which a word is looked for. */
export const SCALE_TEXT = 48

const NO_SCALE: Scale = { power: 0, times: 1, length: 0, mayBeUnit: false }
const unclearScale = (mayBeUnit: boolean): Scale => ({ ...NO_SCALE, power: null, mayBeUnit })
const scaled = (power: number, length: number): Scale => ({ ...NO_SCALE, power, length })

/** `$100-150K`, `2 to 3 million`: the word after a range applies to both numbers. */
const RANGE =
  /^\s?(?:[-–—]|(?<=\s)(?:to|bis|[aà]|до)\s)\s?\p{Sc}?\s?(\d(?:[\d.,]{0,19}\d)?)(?:\s?[¼-¾⅐-⅞])?/u
/** Number of digits of a number that is complete without a word: `$800,000–$1.2M`. */
const WHOLE_DIGITS = 5
/** Matches `1/2 million`. The unit must be a word, because `$2.99/2 L` is a price of two litres. */
const FRACTION = /^\/\d\s(?=\p{L}{3})/u
const ONE_DIGIT = /^\d$/
/** `(1.5) million`, `1.5-million`. */
const LEAD = /^\)?[\s-]{0,2}(?=\p{L})/u
const WORD = /^(?:de\s)?([\p{L}\p{M}\u200c\u200d]+)(?![\p{L}\p{M}\u200c\u200d])(\.?)(?!-?\p{N})/u
const TWO_WORDS = /^([\p{L}\p{M}\u200c\u200d]+)\.?\s([\p{L}\p{M}\u200c\u200d]+)(?![-\p{N}])/u
/** Maximum number of consecutive words that multiply: `mil millones`, `lakh crore`. */
const MOST_WORDS = 2

/**
 * Reads the words after a number. They are those of its language, from the runtime's tables, else
 * those of common languages. A word is unclear unless the language, the currency or the counted
 * thing makes it certain.
 */
export function scaleAfter(after: string, number: ScaledNumber): Scale {
  if (isAfterPrefix(number)) return unclearScale(false)
  if (after === '') return NO_SCALE
  const [range, last] = RANGE.exec(after) ?? []
  if (range !== undefined && last !== undefined) {
    const rest = after.slice(range.length)
    const scale = scaleOf(rest, LEAD.exec(rest)?.[0].length ?? 0, number)
    if (scale.power === 0 || sizeOf(number.digits) < sizeOf(last)) return { ...scale, length: 0 }
    // `$900–1.2M`: the first number has its own word, which is left out.
    return number.digits.replace(/\D/g, '').length < WHOLE_DIGITS ? unclearScale(false) : NO_SCALE
  }
  const [fraction] = ONE_DIGIT.test(number.digits) ? (FRACTION.exec(after) ?? []) : []
  if (fraction !== undefined)
    return wordScale(after.slice(fraction.length), number).power === 0
      ? NO_SCALE
      : unclearScale(false)
  const lead = LEAD.exec(after)?.[0]
  return lead === undefined ? NO_SCALE : scaleOf(after, lead.length, number)
}

/** The approximate value of digits, for the comparison of the two ends of a range. */
function sizeOf(digits: string): number {
  return Number.parseFloat(digits.replace(/[^\d.,]|[.,](?=\d{3}(?!\d))/g, '').replace(',', '.'))
}

function scaleOf(after: string, start: number, number: ScaledNumber): Scale {
  const text = after.slice(start)
  if (UNSPACED.test(text)) return signScale(text, start, number)
  const letter = LETTER.exec(text)?.[0]
  if (letter !== undefined) return letterScale(letter, text.slice(letter.length), start, number)
  let [power, length] = [0, 0]
  for (let words = 0; words < MOST_WORDS; words++) {
    const space = words === 0 ? 0 : 1
    if (space > 0 && !/^\s/.test(text.slice(length))) break
    const next = wordScale(text.slice(length + space), number)
    if (next.power === null) return next
    if (next.power === 0) break
    power += next.power
    length += space + next.length
  }
  if (power === 0) return dozens(text, start, number)
  // `20 mil M €`
  if (/^\s[KMBT](?!\p{L})/u.test(text.slice(length))) return unclearScale(false)
  // `2 crore 50 lakh`: two numbers that make one.
  const more = /^\s(?:and\s)?\d[\d.,]{0,20}\s(?=\p{L})/u.exec(text.slice(length))?.[0]
  const next = more === undefined ? NO_SCALE : wordScale(text.slice(length + more.length), number)
  if (next.power === null || (next.power > 0 && next.power < power)) return unclearScale(false)
  return scaled(power, start + length)
}

/**
 * `2 dozen eggs` is a number; `a dozen or so` and `12 dozens of` are not. `$3.99 dozen` is the
 * price of a dozen.
 */
const DOZEN = /^(?:dozen|dutzend)(?!\p{L})/iu

function dozens(text: string, start: number, { before }: ScaledNumber): Scale {
  const word = DOZEN.exec(text)?.[0]
  return word === undefined || isAmount(before, '')
    ? NO_SCALE
    : { ...NO_SCALE, times: 12, length: start + word.length }
}

/** Reads the word at the beginning of a text. */
function wordScale(text: string, number: ScaledNumber): Scale {
  const [match = '', word, dot] = WORD.exec(text) ?? []
  if (word === undefined) return NO_SCALE
  if (LETTER_CURRENCY.test(word))
    return { ...NO_SCALE, power: /^m/i.test(word) ? 6 : 3, length: match.length }
  const { language } = number
  if (GRAND.test(text) && isAmount(number.before, '') && (language === null || isEnglish(language)))
    return scaled(3, match.length)
  const phrase = language === null || isEnglish(language) ? null : phraseScale(text, language)
  if (phrase !== null) return phrase
  const power = powerOf(plainName(word), {
    hasDot: dot === '.',
    isMoney: isAmount(number.before, text.slice(match.length)),
    number,
  })
  // `5 million-dollar homes` may be five homes, or a price.
  if (power !== 0 && /^-\p{L}/u.test(text.slice(match.length))) return unclearScale(false)
  return { ...NO_SCALE, power, length: match.length }
}

/** `$50 grand`, but not `$50 grand total`. */
const GRAND = /^grand(?:(?!\s?[-\p{L}])|(?=\s(?:an?|and|at|each|for|from|in|of|on|or|per|to)\s))/u

/** A letter and a currency in one word: `500 TEUR`, `25 mkr`. `Kft` is a company, `TUSD` a coin. */
const LETTER_CURRENCY = /^(?:[kmt](?:eur|gbp|chf|sek|nok|dkk|kr)|[km]usd|mft)$/i
/** The same before a number: `MSEK 120`. */
const BEFORE_CURRENCY = /(?<!\p{L})[kmt](?:eur|usd|gbp|chf|sek|nok|dkk)\s?$/iu

/** Two words that mean one number in a language. */
function phraseScale(text: string, language: string): Scale | null {
  const [phrase, first, second] = TWO_WORDS.exec(text) ?? []
  if (phrase === undefined || first === undefined || second === undefined) return null
  const multiplier = wordsOf(language)?.words.get(`${plainName(first)} ${plainName(second)}`)
  return multiplier === undefined
    ? null
    : { ...NO_SCALE, power: multiplier.power, length: phrase.length }
}

/** English does not need the runtime's tables, which are slow to load. */
function isEnglish(language: string): boolean {
  return /^en(?:[-_]|$)/i.test(language)
}

const ASCII = /^[a-z]+$/i

/**
 * A word in the form of the tables. Some scripts have marks that join letters, and marks that are
 * vowels.
 */
function plainName(word: string): string {
  return ASCII.test(word)
    ? word.toLowerCase()
    : plainWord(word.replace(/[\u064b-\u0652\u200c\u200d]/g, ''))
}

/** A word that multiplies. */
interface Multiplier {
  /** `null`: the language has two meanings for it. */
  readonly power: number | null
  /** True for an abbreviation. */
  readonly isShort: boolean
  /** True for an abbreviation that ends with a dot. */
  readonly hasDot: boolean
}

interface WordAround {
  readonly hasDot: boolean
  readonly isMoney: boolean
  readonly number: ScaledNumber
}

function powerOf(word: string, { hasDot, isMoney, number }: WordAround): number | null {
  const { language, before } = number
  const crores = CRORES.get(word)
  if (crores !== undefined) return RUPEES.test(before) ? crores : null
  if (language !== null && isEnglish(language)) {
    const power = ENGLISH.get(word) ?? (isMoney ? ENGLISH_MONEY.get(word) : undefined)
    if (power !== undefined) return power
    // `5 millionaires`
    if (word === 'mil' || /(?:aire|th)s?$/.test(word)) return 0
  } else if (language !== null) {
    const multiplier = wordsOf(language)?.words.get(word)
    if (multiplier !== undefined) return ownPower(multiplier, word, hasDot, isMoney)
    const inFrench = isMoney && /^fr(?:[-_]|$)/i.test(language) ? FRENCH_MONEY.get(word) : undefined
    if (inFrench !== undefined) return inFrench
  }
  const common = COMMON.get(word)
  if (common === undefined)
    return (isMoney && ENGLISH_MONEY.has(word)) || INFLECTED.test(word) ? null : 0
  return isMoney || hasDot || ENGLISH.has(word) || !MAY_BE_NAME.test(word) ? common : null
}

/** Grammatical cases that no table has, such as `3 miljoonan`, and words such as `3 millionnaires`. */
const INFLECTED =
  /^(?:mil[hijly]*(?:[ou]+n|ard)|millio|tysia|εκατομμ|χιλιαδ|м[иі]л[ьлияйа]*(?:он|рд))/

/** Short words of other languages may be names: `120 Mill Road`, `22 Mia`. */
const MAY_BE_NAME = /^(?=[a-z]*[aeiouy])[a-z]{1,5}$/

/** Abbreviations of two letters, or without their dot, may have another meaning. */
function ownPower(own: Multiplier, word: string, hasDot: boolean, isMoney: boolean): number | null {
  if (!own.isShort || isMoney || (own.hasDot && hasDot) || COMMON.get(word) === own.power)
    return own.power
  if (word.length > 2 && !own.hasDot) return own.power
  // `6 Bio Eier`: organic eggs.
  return own.power === 12 && own.hasDot ? 0 : null
}

/** How a language shortens numbers. */
interface ScaleWords {
  /** Words, letters, and two words with a blank between. */
  readonly words: ReadonlyMap<string, Multiplier>
  /** Words that stand before the number, such as `elfu 2` in Swahili. */
  readonly prefixes: ReadonlySet<string>
}

const tables = new Map<string, ScaleWords | null>()

/** `null`: the language is not known. */
function wordsOf(language: string): ScaleWords | null {
  return remembered(tables, language, () => {
    const tag = knownTag(language)
    return tag === null ? null : readWords(tag)
  })
}

/** One, and numbers of each plural form that languages have. */
const COUNTS = [1, 2, 4, 7, 20, 1.5]
const MOST_POWER = 12

function readWords(tag: string): ScaleWords {
  const words = new Map<string, Multiplier>()
  const prefixes = new Set<string>()
  for (const compactDisplay of ['long', 'short'] as const) {
    const format = new Intl.NumberFormat(tag, {
      notation: 'compact',
      compactDisplay,
      numberingSystem: 'latn',
      maximumFractionDigits: 1,
      useGrouping: false,
    })
    for (let power = 3; power <= MOST_POWER; power++)
      for (const count of COUNTS) {
        const parts = format.formatToParts(count * 10 ** power)
        const name = parts.find(({ type }) => type === 'compact')?.value.trim() ?? ''
        const digits = parts.filter(({ type }) => type === 'integer' || type === 'fraction')
        const word = plainName(name.replace(/^de\s/, '')).replace(/\s/, ' ')
        if (digits.length === 0 || !/^[\p{L}\p{M}]+(?:\s[\p{L}\p{M}]+)?$/u.test(word)) continue
        const types = parts.map(({ type }) => type)
        if (types.indexOf('compact') < types.indexOf('integer')) prefixes.add(word)
        const shown = Number(digits.map(({ value }) => value).join('.'))
        const shownPower = Math.round(power + Math.log10(count / shown))
        const other = words.get(word)
        words.set(word, {
          power: other === undefined || other.power === shownPower ? shownPower : null,
          isShort: other?.isShort ?? compactDisplay === 'short',
          hasDot: name.endsWith('.'),
        })
      }
  }
  return { words, prefixes }
}

const BETWEEN_WORDS = /[^\p{L}\p{M}\u200c\u200d]/u

/** True if the word before a number may multiply it. */
function isAfterPrefix({ before, language }: ScaledNumber): boolean {
  if (before.length > 3 && BEFORE_CURRENCY.test(before)) return true
  if (language === null || isEnglish(language)) return false
  const prefixes = wordsOf(language)?.prefixes
  // Few languages have any.
  if (prefixes === undefined || prefixes.size === 0) return false
  return prefixes.has(plainName(before.trimEnd().split(BETWEEN_WORDS).at(-1) ?? ''))
}

function listed(words: Readonly<Record<number, string>>): [word: string, power: number][] {
  return Object.entries(words).flatMap(([power, names]) =>
    names.split(' ').map((name): [string, number] => [plainWord(name), Number(power)]),
  )
}

const ENGLISH = new Map(
  listed({
    2: 'hundred',
    3: 'thousand thousands',
    5: 'lakh lakhs lac lacs',
    6: 'million millions',
    7: 'crore crores',
    9: 'billion billions bn',
    12: 'trillion trillions',
  }),
)
/** Abbreviations that are units if no currency is beside them. */
const ENGLISH_MONEY = new Map(listed({ 6: 'mn mm mil', 12: 'tn' }))
/** For French, because `Mn` without a currency means minutes. In Spanish it is a currency. */
const FRENCH_MONEY = new Map(listed({ 6: 'mn', 9: 'md' }))
/** Beside a currency other than rupees, `Cr` may mean credit. */
const CRORES = new Map(listed({ 7: 'cr crs', 10: 'kcr', 12: 'lcr' }))

/**
 * Words of common languages, for a text of an unknown language or with a word of another language.
 * `null`: languages differ, such as for `billion`.
 */
const COMMON: ReadonlyMap<string, number | null> = new Map<string, number | null>([
  ...listed({
    3:
      'thousand thousands tausend tsd mille millier milliers mila mii duizend tusind tusen tuhat ' +
      'tuhatta tys tysiąc tysiące tysięcy tis tisíc tisíce ezer ribu nghìn ngàn þús ' +
      'тыс тысяча тысячи тысяч тис тисяча тисячі ' +
      'тисяч хиляди ألف ألفا آلاف الف الاف هزار ' +
      'हज़ार हजार אלף אלפים χιλιάδες χιλ',
    5: 'lakh lakhs लाख லட்சம் லட்சங்கள்',
    6:
      'million millions mio mln mill millionen millón millones milhão milhões milione milioni ' +
      'milion miliony milionů milionów milioane millioner miljoner miljon miljoen ' +
      'miljoona miljoonaa milj millj millió milyon juta triệu млн миллион ' +
      'миллиона миллионов ' +
      'мільйон мільйони мільйонів милион милиона ' +
      'مليون مليونا ملايين میلیون מיליון ' +
      'εκατομμύρια εκατομμύριο εκατ',
    7: 'crore crores करोड़ கோடி கோடிகள்',
    9:
      'mrd mld mlrd mia mds milliard milliards milliarde milliarden milliarder miljard miljarder ' +
      'miljardi miljardia miliardo miliardi miliard miliardy miliardów miliarde bilhão bilhões ' +
      'milyar miliar млрд миллиард миллиарда миллиардов ' +
      'мільярд мільярди мільярдів ' +
      'милиард милиарда مليار مليارا مليارات ' +
      'میلیارد מיליארד δισεκατομμύρια ' +
      'δισεκατομμύριο δισ',
    12: 'billionen billones bilioni biljoen трлн triliun',
  }),
  ...listed({ 5: 'లక్ష లక్షలు లక్షల' }),
  ...listed({ 7: 'కోటి కోట్లు కోట్ల' }),
  ...listed({ 5: 'ലക്ഷം ಲಕ್ಷ ଲକ୍ଷ', 7: 'കോടി ಕೋಟಿ କୋଟି' }),
  ...listed({ 5: 'ලක්ෂ ලක්ෂය', 7: 'කෝටි කෝටිය' }),
  ...['billion', 'billions', 'trillion', 'trillions', 'bn', 'mil'].map((word): [string, null] => [
    plainWord(word),
    null,
  ]),
])

/** A letter, with or without the mark of an abbreviation. */
const LETTER = /^[kкmbtl](?![\p{L}\p{M}])/iu
const LETTERS: ReadonlyMap<string, number> = new Map([
  ['k', 3],
  ['m', 6],
  ['b', 9],
  ['t', 12],
])
const RUPEES = /(?:₹|(?<!\p{L})(?:rs|inr)\.?)\s?$/iu
/** Currencies of languages in which `M` or `B` has another value: `Rp 1,5 M` are milliards. */
const OWN_LETTERS = /(?:₺|(?<!\p{L})(?:rp|idr|tl|try)\.?)\s?$/iu
/** Currencies that begin with a letter: `1 B/.`, `1 T$`. */
const CURRENCIES: Readonly<Record<string, RegExp>> = { b: /^\/\./, t: /^\$/ }
/** Things that are counted in thousands and millions. */
const COUNTED = new RegExp(
  String.raw`^\+?\s(?:views?|followers?|subscribers?|people|users?|downloads?|plays|likes?|copies|` +
    String.raw`visits?|streams?|ratings?|reviews?|members?|installs?|sold)(?!\p{L})`,
  'iu',
)
/** `2.5K display`: only a name for thousands of pixels. */
const PIXELS = /^\s(?:display|monitor|oled|lcd|screen|video|uhd|qhd|webcam|camera|resolution)/i
/** `1.2k` without a currency: thousands. */
const THOUSANDS = /^\d{1,3}[.,]\d{1,2}k$/i
/**
 * `18k`, `1.5M`, `1.2B` without a currency: thousands or millions, or a unit such as carats of
 * gold. `2700K` are degrees, `1.5m` metres, `6 t` tonnes.
 */
const UNCLEAR_LETTER = /^(?:\d{1,3}(?:[.,]\d{1,3})?[kKMB]|\d{4}M)$/

function letterScale(
  letter: string,
  rest: string,
  start: number,
  { digits, before, language }: ScaledNumber,
): Scale {
  const isAttached = start === 0
  // `25m²`, `2 T-shirts`, and `€ 250.000 k.k.` in Dutch.
  if (/^\p{N}/u.test(rest)) return NO_SCALE
  if (!isAttached && /^[-&]\p{L}/u.test(rest) && !isAmount(before, '')) return NO_SCALE
  if (/^\.[\p{L}\p{N}]/u.test(rest) && !isAmount('', rest.slice(1))) return NO_SCALE
  const name = letter.toLowerCase()
  const scale = (power: number): Scale => scaled(power, start + 1)
  // In Russian also a number of rooms: `2к`.
  if (name === 'к') {
    if (!isAttached) return NO_SCALE
    if (isAmount(before, '') || isAmount('', rest.replace(/^\./, '')) || isCounted(rest))
      return scale(3)
    return digits.length > 1 ? unclearScale(true) : NO_SCALE
  }
  if (name === 'l') {
    if (letter === 'l' || !isAmount(before, '')) return NO_SCALE
    return RUPEES.test(before) ? scale(5) : unclearScale(true)
  }
  const power = LETTERS.get(name) ?? 0
  const isForeign =
    name !== 'k' &&
    (OWN_LETTERS.test(before) || (language !== null && differs(name, power, language)))
  if (!isAttached && CURRENCIES[name]?.test(rest) === true) return NO_SCALE
  if (name !== 't' && (COUNTED.test(rest) || (name === 'k' && isCounted(rest))))
    return isForeign ? unclearScale(true) : scale(power)
  if (isAmount(before, '')) {
    if (letter === 't') return NO_SCALE
    const isSure = name === 'k' || isAttached || letter === 'M'
    return isSure && !isForeign ? scale(power) : unclearScale(true)
  }
  // `500 T€` are thousands in German.
  if (isAmount('', rest.replace(/^\./, ''))) {
    if (letter === 'k' || letter === 'K') return scale(power)
    return letter === 'M' && !isForeign ? scale(power) : unclearScale(true)
  }
  if (isAttached && THOUSANDS.test(digits + letter))
    return PIXELS.test(rest) ? unclearScale(true) : scale(power)
  // `6500K` are degrees.
  const isOwn =
    /[MBT]/.test(letter) && language !== null && wordsOf(language)?.words.has(name) === true
  return isOwn || UNCLEAR_LETTER.test(digits + letter) ? unclearScale(true) : NO_SCALE
}

/** True if a language shortens another number by a letter. */
function differs(letter: string, power: number, language: string): boolean {
  const multiplier = wordsOf(language)?.words.get(letter)
  return multiplier !== undefined && multiplier.power !== power
}

/** Scripts that have no blank between a number and its sign. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}]/u
const SIGNS: readonly (readonly [power: number, signs: RegExp])[] = [
  [12, /^(?:万亿|萬億|조(?![각건])|ล้านล้าน)/],
  [11, /^แสนล้าน/],
  [10, /^หมื่นล้าน/],
  [9, /^พันล้าน/],
  [8, /^(?:[亿億억])/],
  [7, /^(?:千[万萬]|천만)/],
  [6, /^(?:百[万萬]|백만|ล้าน)/],
  [5, /^แสน/],
  [4, /^(?:[万萬만]|หมื่น)/],
  // `5千克` are kilograms, `พันธุ์` are breeds.
  [3, /^(?:千(?![克瓦米卡升赫伏帕焦]|字[节節])|천|พัน(?!ธ))/],
  // `百货` are goods.
  [2, /^(?:백|百(?![货貨度姓科合事年分]))/],
]
/** A sign for 10^12 in Japanese and Korean, and for mega in Chinese. */
const MEGA = '兆'
const MORE_SIGNS = /^\s?[\d百千万萬亿億兆백천만억조]/
/** If one of these Korean letters follows, the sign begins a word and no counted unit follows. */
const KOREAN_WORD = /^(?![원명회개건년뷰달여대부장엔유톤주점권호평인위배])\p{Script=Hangul}/u

function signScale(text: string, start: number, { language }: ScaledNumber): Scale {
  if (text.startsWith(MEGA)) {
    const isSure = /^兆[円圓]/.test(text) || /^(?:ja|ko|zh-(?:tw|hk|hant))/i.test(language ?? '')
    return isSure && !MORE_SIGNS.test(text.slice(1)) ? scaled(12, start + 1) : unclearScale(true)
  }
  for (const [power, signs] of SIGNS) {
    const sign = signs.exec(text)?.[0]
    if (sign === undefined) continue
    // `1億2000万` are two numbers that make one.
    const rest = text.slice(sign.length)
    if (MORE_SIGNS.test(rest)) return unclearScale(true)
    // `3조각` are three pieces, `100 만족도` is a degree of satisfaction.
    if (KOREAN_WORD.test(rest)) return start === 0 ? unclearScale(true) : NO_SCALE
    return scaled(power, start + sign.length)
  }
  return NO_SCALE
}
