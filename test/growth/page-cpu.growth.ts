import { expect, test } from 'vitest'
import { tooSteep } from './measure.ts'
import { PAGE_SUBJECTS, XML_SUBJECTS } from './subjects.ts'

// Proves that the CPU of each reader, format and detector of pages grows in proportion to the page,
// whatever its content.

test.each([...PAGE_SUBJECTS, ...XML_SUBJECTS].map((subject) => [subject.name, subject] as const))(
  'the CPU of %s grows in proportion to the page',
  async (_, subject) => {
    expect((await tooSteep(subject)).join('\n')).toBe('')
  },
)
