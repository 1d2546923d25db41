import { expect, test } from 'vitest'
import { TEXTS } from './families.ts'
import { tooLarge, type Holder } from './measure.ts'
import { HOLDERS } from './holders.ts'

// Proves that the memory held for a page is at most twelve times as large as the page, within the
// budget of the page.

test.each(HOLDERS.map((holder) => [holder.name, holder] as const))(
  'the memory of %s is at most twelve times its input',
  async (_, holder) => {
    expect((await tooLarge(holder)).join('\n')).toBe('')
  },
)

test('planted: the measure notices a reader that holds too much', async () => {
  const families = TEXTS.filter(({ name }) => name === 'spaces')
  const copies: Holder = {
    name: 'copies',
    families,
    holds: 2,
    prepare: (text) => () => Array.from({ length: text.length }, (_, index) => index),
  }
  expect(await tooLarge(copies)).toHaveLength(1)
})
