import { expect, test } from 'vitest'
import { tooSteep } from './measure.ts'
import { PAGE_SUBJECTS, XML_SUBJECTS } from './subjects.ts'

// Proves that the CPU of each reader, format and detector of pages grows as the page does, whatever
// it holds.

test.each([...PAGE_SUBJECTS, ...XML_SUBJECTS].map((subject) => [subject.name, subject] as const))(
  'CPU of %s',
  async (_, subject) => {
    expect(await tooSteep(subject)).toEqual([])
  },
)
