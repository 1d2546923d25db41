import { expect, test } from 'vitest'
import { TEXTS } from './families.ts'
import { tooSteep, type Subject } from './measure.ts'
import { TEXT_SUBJECTS } from './subjects.ts'

// Proves that the CPU of each reader and converter of texts grows as its input does, whatever the input is.

test.each(TEXT_SUBJECTS.map((subject) => [subject.name, subject] as const))('CPU of %s', (_, subject) => {
  expect(tooSteep(subject)).toEqual([])
})

/** Readers that take the square of their input, or a bit more than their input. */
const steep: Readonly<Record<string, Subject['prepare']>> = {
  'a pattern that is tried from each space': (text) => () => new RegExp(String.raw`\s+$`).exec(text),
  'a list that is copied for each entry': (text) => () => {
    let list: readonly number[] = []
    for (let at = 0; at < text.length / 64; at++) list = [...list, at]
    return list
  },
}

test.each(Object.entries(steep))('the measure finds %s', (name, prepare) => {
  const families = TEXTS.filter((family) => family.name === 'a letter, spaces, a letter')
  expect(tooSteep({ name, families, prepare })).toHaveLength(1)
})
