import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseRecipe } from '../../src/index.ts'
import {
  blocksOf,
  docPages,
  fileOf,
  snippetFiles,
  withSnippets,
  type DocBlock,
} from '../support/sources/doc-blocks.ts'
import { readSources, root } from '../support/sources/sources.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const pages = docPages()

/** The reasons of blocks that are not run. */
const NOT_RUN = /^not run: \S.{10,}/

/** Rows that another test compares. */
const ROWS = /^rows of examples\/\S+, compared by (test\/\S+)$/

test('each block that shows a file equals that file (to update it: npm run readme)', async () => {
  for (const [path, page] of pages)
    await expect(withSnippets(page, read)).toMatchFileSnapshot(join(root, path))
})

test("links of the README begin with package.json's homepage (to update them: npm run readme)", async () => {
  const { homepage }: { readonly homepage: string } = JSON.parse(read('package.json'))
  const readme = read('README.md').replaceAll(
    /https?:\/\/[^\s)]+?\/(blob|raw)\/main\//g,
    (_, kind: string) => `${homepage}/${kind}/main/`,
  )
  await expect(readme).toMatchFileSnapshot(join(root, 'README.md'))
})

test('each block is a file, a command that is run, its output or a recipe, or has a reason why it is not', () => {
  const unheld = [...pages]

    .flatMap(([path, page]) => {
      const blocks = blocksOf(page)
      return blocks
        .filter((block, index) => !isHeld(block, blocks[index - 1]))
        .map(({ line, language }) => `${path}:${line} ${language}`)
    })
  expect(unheld).toEqual([])
})

test('each recipe, or part of one, is accepted', () => {
  const recipes = [...pages].flatMap(([path, page]) =>
    blocksOf(page)
      .filter(({ marker }) => marker === 'recipe')
      .map(({ line, code }) => ({ where: `${path}:${line}`, code })),
  )
  expect(recipes.length).toBeGreaterThan(0)
  const refused = recipes.flatMap(({ where, code }) => {
    try {
      const part: object = JSON.parse(code)
      parseRecipe({ start: { urls: ['https://pencil.example/'] }, ...part })
      return []
    } catch (error) {
      return [`${where}: ${error instanceof Error ? error.message : String(error)}`]
    }
  })
  expect(refused).toEqual([])
})

test('the README is short: at most 150 lines and 10 KB', () => {
  const readme = pages.get('README.md') ?? ''
  expect(readme.split('\n').length).toBeLessThanOrEqual(151)
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(10 * 1024)
})

test('every example of a guide, a host and an issuer is shown', () => {
  const shown = new Set([...pages.values()].flatMap(snippetFiles))
  const examples = [...readSources('examples/guides', 'examples/hosts', 'examples/issuers').keys()]
  expect(examples.length).toBeGreaterThan(15)
  expect(examples.filter((path) => !shown.has(path))).toEqual([])
})

test('planted: an outdated block of a whole file and of a region', () => {
  const block = (file: string, code: string): string =>
    `Before\n\n<!-- ${file} -->\n\n\`\`\`ts\n${code}\n\`\`\`\n\nAfter\n`
  const file = 'import x\n//#region mounting\nfresh($1)\n//#endregion\nend()\n'
  expect(withSnippets(block('examples/a.ts', 'old()'), () => file)).toBe(
    block('examples/a.ts', 'import x\nfresh($1)\nend()'),
  )
  expect(withSnippets(block('examples/a.ts#mounting', 'old()'), () => file)).toBe(
    block('examples/a.ts#mounting', 'fresh($1)'),
  )
  expect(() => withSnippets(block('examples/a.ts#other', 'old()'), () => file)).toThrow('other')
})

function isHeld(block: DocBlock, before: DocBlock | undefined): boolean {
  const comparing = ROWS.exec(block.marker)?.[1]
  if (comparing !== undefined) return read(comparing).includes(block.marker)
  if (fileOf(block) !== undefined || NOT_RUN.test(block.marker)) return true
  // Run by run.proof.test.ts, which also compares the output.
  if (block.language === 'sh') return block.marker === ''
  if (block.marker === 'output') return before?.language === 'sh' && before.marker === ''
  return block.language === 'json' && block.marker === 'recipe'
}
