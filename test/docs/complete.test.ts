import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as help from '../../adapters/command/help.ts'
import { ERROR_CODES } from '../../src/kernel/errors.ts'
import { SCOPES } from '../../src/kernel/scope.ts'
import { docPages } from '../support/sources/doc-blocks.ts'
import { formatted } from '../support/sources/formatted.ts'
import { recipeReference } from '../support/sources/recipe-reference.ts'
import { readSources, root } from '../support/sources/sources.ts'

const pages = docPages()
/** Codes that the sources put together from words, or have in a constant. */
const MADE = [
  'http_*',
  'site_unreachable',
  'page_too_costly',
  'sitemap_unreadable',
  'feed_unreadable',
  'account_closed',
]
/** Reasons why a run pauses, which no caller sees. */
const INTERNAL = new Set(['exhausted', 'interrupted', 'gave_way'])
const GENERATED = /(<!-- generated: .* -->\n)[\s\S]*(<!-- \/generated -->)/

test('the reference of recipes has the keys of their schema (to update it: npm run readme)', async () => {
  const page = pages.get('docs/recipes.md') ?? ''
  const reference = await recipeReference()
  const filled = page.replace(
    GENERATED,
    (_, begin: string, end: string) => `${begin}\n${reference}\n${end}`,
  )
  expect(filled).toContain(reference)
  await expect(await formatted('recipes.md', filled)).toMatchFileSnapshot(
    join(root, 'docs/recipes.md'),
  )
})

test('the page of the command shows the help of every command', () => {
  const commands = [...help.HELP.matchAll(/^ {2}seine (\w+)/gm)].map(([, name]) => name ?? '')
  expect(commands.length).toBeGreaterThan(4)
  const page = pages.get('docs/cli.md') ?? ''
  expect(commands.filter((name) => !page.includes(`npx seine ${name} --help`))).toEqual([])
})

test('every option of createPlatform is on its page', () => {
  const source = readFileSync(join(root, 'src/platform/options.ts'), 'utf8')
  const [, members = ''] = /export interface PlatformOptions \{([\s\S]*?)\n\}/.exec(source) ?? []
  const options = [...members.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name = '']) => name)
  expect(options.length).toBeGreaterThan(30)
  const page = pages.get('docs/options.md') ?? ''
  expect(options.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('the page about security says what each scope allows', () => {
  const [, table = ''] =
    /\n## Scopes\n([\s\S]*?)(?:\n## |$)/.exec(pages.get('docs/security.md') ?? '') ?? []
  const named = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, scope]) => scope),
  )
  expect(named.toSorted()).toEqual([...SCOPES].toSorted())
})

test('troubleshooting has a row with a cause and a remedy for each code, and no other rows', () => {
  const rows = [...(pages.get('docs/troubleshooting.md') ?? '').matchAll(/^\| (`.*)$/gm)].map(
    ([, row = '']) => row.split('|').map((cell) => cell.trim()),
  )
  const listed = rows.flatMap(([codes = '']) =>
    [...codes.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? ''),
  )
  const codes = [...ERROR_CODES, ...reasonCodes(), ...exitCodes()]
  expect(codes.length).toBeGreaterThan(70)
  expect(codes.filter((code) => !listed.includes(code))).toEqual([])
  expect(listed.filter((code) => !codes.includes(code))).toEqual([])
  expect(rows.filter(([, cause, wayOut]) => !cause || !wayOut)).toEqual([])
})

test('the figures beside Crawlee are those of the last measurement', () => {
  const bench = readFileSync(join(root, 'bench/README.md'), 'utf8')
  const rowOf = (name: string): string[] =>
    (bench.split('\n').find((line) => line.startsWith(`| ${name}`)) ?? '')
      .split('|')
      .map((cell) => cell.trim().split(' ')[0] ?? '')
  const [, , ownPages = '', ownCpu, ownMemory] = rowOf('Seine, durable')
  const [, , otherPages = '', otherCpu, otherMemory] = rowOf('Crawlee CheerioCrawler')
  const text = (pages.get('docs/comparison.md') ?? '').replaceAll(/ {2,}/g, ' ')
  expect(text).toContain(`| ${ownPages} | ${otherPages} (CheerioCrawler, in memory) |`)
  expect(text).toContain(`| ${ownCpu} | ${otherCpu} |`)
  expect(text).toContain(`| ${ownMemory} MiB | ${otherMemory} MiB |`)
  expect(pages.get('README.md')).toContain(`${ownPages} pages a second`)
  expect(pages.get('README.md')).toContain(`Crawlee ${otherPages} in memory`)
})

test('every page is in the index', () => {
  const index = pages.get('docs/README.md') ?? ''
  const hosts = pages.get('docs/hosts/README.md') ?? ''
  const unlisted = [...pages.keys()].filter((path) => {
    const name = path.replace(/^docs\//, '')
    return (
      path !== 'README.md' &&
      name !== 'README.md' &&
      !index.includes(`](${name})`) &&
      !(name.startsWith('hosts/') && hosts.includes(`](${name.slice(6)})`)) &&
      name !== 'hosts/README.md'
    )
  })
  expect(unlisted).toEqual([])
})

/** The exit codes that the help of any command names. */
function exitCodes(): string[] {
  const texts = Object.values(help).filter((text) => typeof text === 'string')
  const lists = texts.flatMap((text) => /Exit codes: ([^.]*)/.exec(text)?.[1] ?? [])
  const codes = lists.flatMap((list) => [...list.matchAll(/\b\d+(?= )/g)].map(([code]) => code))
  expect(lists.length).toBeGreaterThan(6)
  return [...new Set(codes)]
}

/** The codes of `reason`, `error` and `warnings`, as the sources write them. */
function reasonCodes(): string[] {
  const sources = [...readSources('src')].filter(([path]) => !path.startsWith('src/console/'))
  const literal = sources.flatMap(([, text]) =>
    [...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code]) => code ?? ''),
  )
  const named = sources.flatMap(([, text]) =>
    [...text.matchAll(/\bcode: ([A-Z][A-Z_]+)\b/g)].flatMap(
      ([, name = '']) => new RegExp(`const ${name} = '([a-z_]+)'`).exec(text)?.[1] ?? [],
    ),
  )
  const egress = sources.flatMap(([, text]) =>
    [...text.matchAll(/new EgressError\('(\w+)'|readonly \[reason: '(\w+)' \| '(\w+)'/g)].flatMap(
      ([, ...reasons]) => reasons.filter((reason) => reason !== undefined),
    ),
  )
  const reasonsOf = (type: string) => wordsOf('src/kernel/failures.ts', type)
  return [
    ...new Set([
      ...literal,
      ...named,
      ...egress,
      ...wordsOf('src/crawl/run/run-options.ts', 'Stop').filter((stop) => !INTERNAL.has(stop)),
      ...wordsOf('src/client/error.ts', 'SeineErrorCode'),
      ...MADE,
      ...reasonsOf('FetchFailureReason'),
      ...reasonsOf('ModelFailureReason').map((reason) => `model_${reason}`),
      ...['pdf', 'docx', 'xlsx'].flatMap((format) =>
        reasonsOf('DocumentFailureReason').map((reason) => `${format}_${reason}`),
      ),
      ...reasonsOf('RenderFailureReason').map((reason) => `render_${reason}`),
    ]),
  ]
}

/** The literals of a union that a file declares. */
function wordsOf(path: string, type: string): string[] {
  const declaration = new RegExp(`type ${type} =([^\\n]*(?:\\n  \\|[^\\n]*)*)`).exec(
    readFileSync(join(root, path), 'utf8'),
  )?.[1]
  if (declaration === undefined) throw new Error(`${path} has no type ${type}`)
  return [...declaration.matchAll(/'(\w+)'/g)].map(([, word = '']) => word)
}
