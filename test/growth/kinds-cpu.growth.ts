import { expect, test } from 'vitest'
import { KIND_SUBJECTS } from './kind-subjects.ts'
import { tooSteep } from './measure.ts'

// Proves that the CPU of each reader grows as its input does where that looks like what sites,
// files and models write.

test.each(KIND_SUBJECTS.map((subject) => [subject.name, subject] as const))(
  'CPU of %s',
  async (_, subject) => {
    expect(await tooSteep(subject)).toEqual([])
  },
)
