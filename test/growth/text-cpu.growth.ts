import { expect, test } from 'vitest'
import { TEXTS } from './families.ts'
import { tooSteep, type Subject } from './measure.ts'
import { TEXT_SUBJECTS } from './subjects.ts'

// Proves that the CPU of each reader and converter of texts grows as its input does, whatever the
// input is.

test.each(TEXT_SUBJECTS.map((subject) => [subject.name, subject] as const))(
  'CPU of %s',
  async (_, subject) => {
    expect(await tooSteep(subject)).toEqual([])
  },
)

test('the measure finds a pattern that is tried from each space', async () => {
  const families = TEXTS.filter(({ name }) => name === 'a letter, spaces, a letter')
  const planted: Subject = {
    name: 'a pattern',
    families,
    prepare: (text) => () => new RegExp(String.raw`\s+$`).exec(text),
  }
  expect(await tooSteep(planted)).toHaveLength(1)
})
