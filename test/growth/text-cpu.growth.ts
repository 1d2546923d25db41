import { expect, test } from 'vitest'
import { TEXTS } from './families.ts'
import { tooSteep, type Subject } from './measure.ts'
import { TEXT_SUBJECTS } from './subjects.ts'

// Proves that the CPU of each reader and converter of texts grows in proportion to its input,
// whatever the input.

test.each(TEXT_SUBJECTS.map((subject) => [subject.name, subject] as const))(
  'the CPU of %s grows in proportion to its input',
  async (_, subject) => {
    expect((await tooSteep(subject)).join('\n')).toBe('')
  },
)

test('planted: the measure notices a pattern that is tried from each space', async () => {
  const families = TEXTS.filter(({ name }) => name === 'a letter, spaces, a letter')
  const planted: Subject = {
    name: 'a pattern',
    families,
    prepare: (text) => () => new RegExp(String.raw`\s+$`).exec(text),
  }
  // Other work on the machine may hide growth. It never makes any, so more measures are not a weaker proof.
  let steep = await tooSteep(planted)
  for (let more = 0; steep.length === 0 && more < 2; more++) steep = await tooSteep(planted)
  expect(steep).toHaveLength(1)
})
