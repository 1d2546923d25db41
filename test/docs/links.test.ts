import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/sources/sources.ts'

const { homepage }: { readonly homepage: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
/** The start of the README's links to this repository: the README is also shown by a registry. */
const OWN = new RegExp(`^${homepage.replaceAll('.', '\\.')}/(blob|raw)/main/`)

/** Every text of the project, by path. */
const texts = new Map(
  ['', 'docs', 'decisions', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: folder !== '', encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name): [string, string] => {
        const path = join(folder, name)
        return [path, readFileSync(join(root, path), 'utf8')]
      }),
  ),
)

test('every link of every text leads to a file that exists, and to a heading in it', () => {
  const dead = [...texts].flatMap(([path, text]) =>
    linksOf(text)
      .filter((target) => !leadsSomewhere(path, target))
      .map((target) => `${path}: ${target}`),
  )
  expect(dead).toEqual([])
})

test("links of the README work on a registry's page: they are absolute, below package.json's homepage", () => {
  const inside = linksOf(texts.get('README.md') ?? '')
  expect(inside.length).toBeGreaterThan(30)
  expect(inside.filter((target) => !target.startsWith('/'))).toEqual([])
})

test('planted: links to an absent file and to an absent heading, and links that are right', () => {
  const page = '[a](none.md) `[b](no.md)` [c](#Two) [d](https://x.example) ![e](x.png)'
  expect(linksOf(page)).toEqual(['none.md', '#Two', 'x.png'])
  expect(leadsSomewhere('docs/limits.md', 'none.md')).toBe(false)
  expect(leadsSomewhere('docs/limits.md', '#no-such-heading')).toBe(false)
  expect(leadsSomewhere('docs/limits.md', '../README.md')).toBe(true)
  expect(headingsOf('# One `two`, three?\n## Same\n## Same\n```sh\n# no heading\n```\n')).toEqual(
    new Set(['one-two-three', 'same', 'same-1']),
  )
})

/** The targets of links inside the project. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, 'code')
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|(?:href|src)="([^"]+)"/g)].map(
    ([, link, attribute]) => link ?? attribute ?? '',
  )
  return targets
    .map((target) => target.replace(OWN, '/'))
    .filter((target) => !/^(https?:|mailto:)/.test(target))
}

function leadsSomewhere(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#')
  const path = file.startsWith('/')
    ? file.slice(1)
    : file === ''
      ? from
      : normalize(join(dirname(from), decodeURI(file)))
  if (!existsSync(join(root, path))) return false
  if (anchor === undefined || statSync(join(root, path)).isDirectory()) return true
  return headingsOf(texts.get(path) ?? '').has(anchor)
}

/** The anchors of a text's headings, as GitHub makes them. */
function headingsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, title = ''] of text
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = title
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    let free = anchor
    for (let count = 1; anchors.has(free); count++) free = `${anchor}-${count}`
    anchors.add(free)
  }
  return anchors
}
