import { expect, test } from 'vitest'
import { TEXTS } from './families.ts'
import { tooLarge, type Holder } from './measure.ts'
import { HOLDERS } from './holders.ts'

// Proves that what is held of a page is at most twelve times as large as the page, within the
// page's own budget.

test.each(HOLDERS.map((holder) => [holder.name, holder] as const))(
  'memory of %s',
  async (_, holder) => {
    expect(await tooLarge(holder)).toEqual([])
  },
)

test('the measure finds what holds too much', async () => {
  const families = TEXTS.filter(({ name }) => name === 'spaces')
  const copies: Holder = {
    name: 'copies',
    families,
    holds: 2,
    prepare: (text) => () => Array.from({ length: text.length }, (_, index) => index),
  }
  expect(await tooLarge(copies)).toHaveLength(1)
})
