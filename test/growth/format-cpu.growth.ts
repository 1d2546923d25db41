import { expect, test } from 'vitest'
import { tooSteep } from './measure.ts'
import { isLongSubject, PAGE_SUBJECTS } from './subjects.ts'

// Proves that the CPU of each format of a page, and of selectors, grows in proportion to the page,
// whatever its content.

test.each(PAGE_SUBJECTS.filter(isLongSubject).map((subject) => [subject.name, subject] as const))(
  'the CPU of %s grows in proportion to the page',
  async (_, subject) => {
    expect((await tooSteep(subject)).join('\n')).toBe('')
  },
)
