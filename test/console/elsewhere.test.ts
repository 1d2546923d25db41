import { expect, it } from 'vitest'
import { CandidateDryRuns } from '../../src/console/app/builder/elsewhere.ts'
import type { Candidates } from '../../src/client.ts'

// Proves that candidates are tried on the other kept pages, each selector once.

const pages = ['first', 'second', 'third', 'detail'].map((snapshot) => ({
  snapshot,
  url: `https://shop.example/${snapshot}`,
  label: snapshot === 'detail' ? 'detail' : 'start',
}))
const pointed = { pages, shown: 'first', items: undefined }
const candidatesOf = (...selectors: readonly string[]): Candidates => ({
  name: 'price',
  text: '12',
  attributes: {},
  lists: [],
  link: null,
  isInItems: false,
  sources: selectors.map((selector) => ({
    field: selector,
    selector,
    kind: 'css',
    matches: 1,
    elements: [],
  })),
})

/** `.both` is on each page, any other on the second alone. */
function dryRunsWith(requests: string[]) {
  return new CandidateDryRuns(async (recipe, snapshot) => {
    const { extract } = recipe
    const fields = typeof extract === 'object' && 'fields' in extract ? (extract.fields ?? {}) : {}
    requests.push(`${snapshot} ${Object.values(fields).join(' ')}`)
    return {
      fields: Object.entries(fields).map(([field, selector]) => ({
        field,
        filled: selector === '.both' || snapshot === 'second' ? 1 : 0,
      })),
      totals: { rows: 0 },
    }
  })
}

it('candidates that find more on the other pages of the kind come first', async () => {
  const requests: string[] = []
  const { sources, elsewhere } = await dryRunsWith(requests).of(
    candidatesOf('.second', '.both'),
    pointed,
  )
  expect(requests).toEqual(['second .second .both', 'third .second .both'])
  expect(sources.map(({ selector }) => selector)).toEqual(['.both', '.second'])
  expect([...elsewhere]).toEqual([
    ['.second', { filled: 1, rows: 2 }],
    ['.both', { filled: 2, rows: 2 }],
  ])
})

it('a selector is tried once, until there are other pages or other rows', async () => {
  const requests: string[] = []
  const dryRuns = dryRunsWith(requests)
  await dryRuns.of(candidatesOf('.both'), pointed)
  requests.length = 0
  const { elsewhere } = await dryRuns.of(candidatesOf('.both'), pointed)
  expect([requests, elsewhere.get('.both')?.filled]).toEqual([[], 2])
  await dryRuns.of(candidatesOf('.both', '.new'), pointed)
  expect(requests).toEqual(['second .new', 'third .new'])
  requests.length = 0
  await dryRuns.of(candidatesOf('.both'), { ...pointed, items: 'li' })
  expect(requests).toEqual(['second .both', 'third .both'])
  requests.length = 0
  await dryRuns.of(candidatesOf('.both'), { ...pointed, shown: 'detail' })
  expect(requests).toEqual([])
})
