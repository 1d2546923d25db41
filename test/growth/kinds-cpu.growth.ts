import { expect, test } from 'vitest'
import { KIND_SUBJECTS } from './kind-subjects.ts'
import { tooSteep } from './measure.ts'

// Proves that the CPU of each reader grows in proportion to inputs that look like those of sites,
// files and models.

test.each(KIND_SUBJECTS.map((subject) => [subject.name, subject] as const))(
  'the CPU of %s grows in proportion to its input',
  async (_, subject) => {
    expect((await tooSteep(subject)).join('\n')).toBe('')
  },
)
