import { expect, test } from 'vitest'
import { tooSteep } from './measure.ts'
import { isLongSubject, PAGE_SUBJECTS, XML_SUBJECTS } from './subjects.ts'

// Proves that the CPU of each reader and detector of pages grows in proportion to the page, whatever
// its content. Formats and selectors are in format-cpu.growth.ts.

const subjects = [...PAGE_SUBJECTS.filter((subject) => !isLongSubject(subject)), ...XML_SUBJECTS]
test.each(subjects.map((subject) => [subject.name, subject] as const))(
  'the CPU of %s grows in proportion to the page',
  async (_, subject) => {
    expect((await tooSteep(subject)).join('\n')).toBe('')
  },
)
