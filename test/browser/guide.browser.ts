import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseRecipe } from '../../src/index.ts'
import { blocksOf } from '../support/sources/doc-blocks.ts'
import { root } from '../support/sources/sources.ts'
import { startDocsSite } from '../support/worlds/docs-site.ts'
import { browserOf, platformOf, run } from './render-world.ts'

const MARKER = 'rows of examples/recipes/rendered.json, compared by test/browser/guide.browser.ts'
const read = (path: string) => readFileSync(join(root, path), 'utf8')

it('the rows in the guide on scripted pages are those of its recipe', async () => {
  const site = await startDocsSite()
  const platform = platformOf({ browser: browserOf(), allowPrivateNetwork: true })
  try {
    const text = read('examples/recipes/rendered.json').replaceAll(
      'https://pencil.example',
      site.url,
    )
    const { recipe } = parseRecipe(JSON.parse(text))
    const { execution, rows } = await run(platform, recipe)
    expect(execution.reason).toBe(null)
    const shown = blocksOf(read('docs/guides/scripted-pages.md')).find(
      ({ marker }) => marker === MARKER,
    )
    expect(rows).toEqual(JSON.parse(shown?.code ?? ''))
  } finally {
    await platform.close()
    await site.close()
  }
})
