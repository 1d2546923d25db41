export type DecimalSign = '.' | ','

/** The format of numbers in a text. Absent members are not known. */
export interface NumberFormat {
  /** The sign before the fraction. All other separators group digits. */
  readonly decimal?: DecimalSign
  /**
   * The decimal sign of other numbers beside it. It counts more than the language, which many pages
   * state wrongly. It is used only if the text itself is ambiguous.
   */
  readonly seen?: DecimalSign
  /** BCP 47 tag of the language of the text. */
  readonly language?: string | null
  /** True if it is a price, even without a currency beside it. Prices have no three decimals. */
  readonly isAmount?: boolean
}

/** The separators of a language. */
export interface Separators {
  readonly decimal: string
  readonly group: string
}

const separatorsByLanguage = new Map<string, readonly Separators[]>()
/**
 * Maximum number of languages whose separators are cached, because pages choose the names of
 * languages.
 */
const MOST_LANGUAGES = 200

/**
 * The separators that people of a language use: those of the tag, then those of the language
 * without its region, because some people use these instead. Empty for an unknown tag.
 */
export function separatorsOf(language: string): readonly Separators[] {
  const present = separatorsByLanguage.get(language)
  if (present !== undefined) return present
  const tags = [...new Set([language, language.split(/[-_]/, 1)[0] ?? language])]
  const separators = tags.flatMap((tag) => readSeparators(tag) ?? [])
  if (separatorsByLanguage.size === MOST_LANGUAGES) separatorsByLanguage.clear()
  separatorsByLanguage.set(language, separators)
  return separators
}

function readSeparators(tag: string): Separators | null {
  try {
    const locale = tag.replaceAll('_', '-')
    if (Intl.NumberFormat.supportedLocalesOf(locale).length === 0) return null
    const parts = new Intl.NumberFormat(locale, {
      useGrouping: 'always',
      numberingSystem: 'latn',
    }).formatToParts(1_234_567.5)
    const part = (type: Intl.NumberFormatPartTypes): string =>
      parts.find((formatPart) => formatPart.type === type)?.value ?? ''
    return { decimal: part('decimal'), group: part('group') }
  } catch {
    // Not a language tag.
    return null
  }
}

const ZEROS = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
  0x1040, 0x17e0, 0xff10,
] as const

/** Replaces digits and separators of other scripts by Latin ones. */
export function withLatinDigits(text: string): string {
  // Most texts have nothing to replace.
  if (!/[\u0660-\u{ff19}]/u.test(text)) return text
  return text.replace(/[\p{Nd}٫٬．，]/gu, (char) => {
    if (char === '٫' || char === '．') return '.'
    if (char === '٬' || char === '，') return ','
    const code = char.codePointAt(0) ?? 0
    const zero = ZEROS.find((start) => code >= start && code < start + 10)
    return zero === undefined ? char : String(code - zero)
  })
}
