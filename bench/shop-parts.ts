import { createRandom, type Random } from './random.ts'

const WORDS: readonly [string, ...string[]] = [
  'anchor',
  'basin',
  'bellows',
  'bracket',
  'buoy',
  'canvas',
  'cleat',
  'coil',
  'dory',
  'ferrule',
  'float',
  'gasket',
  'grommet',
  'halyard',
  'hinge',
  'kettle',
  'lantern',
  'ledger',
  'mallet',
  'oar',
  'pulley',
  'rivet',
  'rope',
  'rudder',
  'scoop',
  'shackle',
  'sinker',
  'spindle',
  'tackle',
  'thimble',
  'toggle',
  'twine',
  'valve',
  'winch',
  'brass',
  'tarred',
  'woven',
  'galvanised',
  'folding',
  'narrow',
  'spare',
  'heavy',
  'left',
  'plain',
  'under',
  'with',
  'without',
  'for',
  'every',
  'two',
]

const words = (random: Random, count: number) =>
  Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** `count` words, the first with a capital. */
export const title = (random: Random, count: number): string => capital(words(random, count))

/** `count` words with a capital and a full stop. */
export const sentence = (random: Random, count: number): string => `${title(random, count)}.`

/** Text as it stands in HTML, in an attribute too. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/**
 * From the doctype to the end of the page's menu; `extra` goes into the head. About 7 KB, the same
 * on every page of a seed.
 */
export function head(seed: string, name: string, extra = ''): string {
  return (
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(name)}` +
    `</title>${extra}${cached(seed).head}`
  )
}

/** To the end of the document. */
export const footer = (seed: string): string => cached(seed).footer

let frame: { readonly seed: string; readonly head: string; readonly footer: string } | null = null

function cached(seed: string) {
  if (frame?.seed === seed) return frame
  const random = createRandom(seed, 'frame')
  const times = (count: number, part: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => part(index)).join('')
  const css = times(
    45,
    (index) =>
      `.k${index}>b{margin:${random.below(40)}px ${index}px;color:#` +
      `${random.below(0xffffff).toString(16).padStart(6, '0')}}\n`,
  )
  const js = times(
    15,
    (index) => `if(${index}<n&&q.push){q.push({k:"${words(random, 2)}",v:"<b>"})}\n`,
  )
  const menu = times(
    8,
    () =>
      `<li><a href="/help/${random.below(99)}">${title(random, 2)}</a><ul>` +
      times(5, () => `<li><a href="/help/${random.below(99)}">${title(random, 2)}</a></li>`) +
      '</ul></li>',
  )
  frame = {
    seed,
    head:
      `<style>${css}</style><script>var q=[],n=9;\n${js}</script></head><body><header>` +
      `<a href="/">The chandler</a><nav><ul>${menu}</ul></nav></header>`,
    footer:
      '<footer>' +
      times(
        4,
        () => `<section><h4>${title(random, 1)}</h4><p>${sentence(random, 12)}</p></section>`,
      ) +
      '<small>&copy; the chandler &mdash; est. 1871</small></footer></body></html>\n',
  }
  return frame
}
