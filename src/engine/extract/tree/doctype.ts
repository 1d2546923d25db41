/** The parts of a document type, in order. */
const NAME = /^doctype[\t\n\f\r ]*([^\t\n\f\r ]+)[\t\n\f\r ]*/i
const KEYWORD = /^(public|system)[\t\n\f\r ]*/i
const IDENTIFIER = /^(?:"([^"]*)"|'([^']*)')[\t\n\f\r ]*/
const IBM = 'http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd'
/** Public identifiers of documents in quirks mode, in small letters. */
const QUIRKY = new Set([
  '-//w3o//dtd w3 html strict 3.0//en//',
  '-/w3c/dtd html 4.0 transitional/en',
  'html',
])
/** Their beginnings, by who made them. */
const MADE_BY: Readonly<Record<string, readonly string[]>> = {
  '+//silmaril//dtd ': ['html pro v0r11 19970101'],
  '-//as//dtd ': ['html 3.0 aswedit + extensions'],
  '-//advasoft ltd//dtd ': ['html 3.0 aswedit + extensions'],
  '-//ietf//dtd html': [
    '',
    ' 2.0',
    ' 2.0 level 1',
    ' 2.0 level 2',
    ' 2.0 strict',
    ' 2.0 strict level 1',
    ' 2.0 strict level 2',
    ' 2.1e',
    ' 3',
    ' 3.0',
    ' 3.2',
    ' 3.2 final',
    ' level 0',
    ' level 1',
    ' level 2',
    ' level 3',
    ' strict',
    ' strict level 0',
    ' strict level 1',
    ' strict level 2',
    ' strict level 3',
  ],
  '-//metrius//dtd ': ['metrius presentational'],
  '-//microsoft//dtd internet explorer ': [
    '2.0 html strict',
    '2.0 html',
    '2.0 tables',
    '3.0 html strict',
    '3.0 html',
    '3.0 tables',
  ],
  '-//netscape comm. corp.//dtd ': ['html', 'strict html'],
  "-//o'reilly and associates//dtd html ": ['2.0', 'extended 1.0', 'extended relaxed 1.0'],
  '-//sq//dtd ': ['html 2.0 hotmetal + extensions'],
  '-//softquad software//dtd ': ['hotmetal pro 6.0::19990601::extensions to html 4.0'],
  '-//softquad//dtd ': ['hotmetal pro 4.0::19971010::extensions to html 4.0'],
  '-//spyglass//dtd ': ['html 2.0 extended'],
  '-//sun microsystems corp.//dtd hotjava ': ['html', 'strict html'],
  '-//w3c//dtd ': [
    'html 3 1995-03-24',
    'html 3.2 draft',
    'html 3.2 final',
    'html 3.2',
    'html 3.2s draft',
    'html 4.0 frameset',
    'html 4.0 transitional',
    'html experimental 19960712',
    'html experimental 970421',
    'w3 html',
  ],
  '-//w3o//dtd ': ['w3 html 3.0'],
  '-//webtechs//dtd ': ['mozilla html 2.0', 'mozilla html'],
}
/** These are quirky without a system identifier. */
const HALF_QUIRKY = /^-\/\/w3c\/\/dtd html 4\.01 (?:frameset|transitional)\/\//

/** True if a document of this type is read in quirks mode (HTML Standard, 13.2.6.4.1). */
export function isQuirky(declaration: string): boolean {
  const name = NAME.exec(declaration)
  if (name?.[1]?.toLowerCase() !== 'html') return true
  const parts = declaration.slice(name[0].length)
  if (parts === '') return false
  const keyword = KEYWORD.exec(parts)
  if (keyword === null) return true
  const ids = parts.slice(keyword[0].length)
  const first = IDENTIFIER.exec(ids)
  if (first === null) return true
  const id = (first[1] ?? first[2] ?? '').toLowerCase()
  if (keyword[1]?.toLowerCase() === 'system') return id === IBM
  const rest = ids.slice(first[0].length)
  const second = IDENTIFIER.exec(rest)
  if (rest !== '' && second === null) return true
  if ((second?.[1] ?? second?.[2])?.toLowerCase() === IBM || QUIRKY.has(id)) return true
  if (second === null && HALF_QUIRKY.test(id)) return true
  return Object.entries(MADE_BY).some(
    ([maker, names]) =>
      id.startsWith(maker) && names.some((product) => id.startsWith(`${maker}${product}//`)),
  )
}
