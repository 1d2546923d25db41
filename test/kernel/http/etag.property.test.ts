import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { etagOf, ifMatch, ifNoneMatch } from '../../../src/kernel/http/headers.ts'
import { shortDigest } from '../../../src/defaults/short-digest.ts'
import { codePoint } from '../../support/any-text.ts'
import { oldTwin } from '../../support/worlds/old-twin.ts'
import { cpuMs } from '../../support/cpu-ms.ts'

const tagOf = (text: string): string => etagOf(text, shortDigest)

describe('an entity tag', () => {
  it('is strong and well-formed, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: codePoint }),
        (text) => void expect(tagOf(text)).toMatch(/^"[0-9a-f]{40}"$/),
      ),
    )
  })

  it('differs for different texts', () => {
    const texts = new Set(
      fc.sample(fc.string({ unit: codePoint, maxLength: 40 }), { numRuns: 20_000, seed: 7 }),
    )
    for (let i = 0; i < 20_000; i++) texts.add(`{"id":"task_1","updatedAt":${i}}`)
    expect(new Set([...texts].map(tagOf)).size).toBe(texts.size)
  })

  it('differs for texts that were made to have the same tag', () => {
    const text = JSON.stringify({ rows: ['x'.repeat(100)] })
    expect(tagOf(oldTwin(text, 20))).not.toBe(tagOf(text))
  })

  it('changes with a change of any character', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), fc.nat(0xffff), (text, index, code) => {
        const changed =
          text.slice(0, index % text.length) +
          String.fromCharCode(code) +
          text.slice((index % text.length) + 1)
        fc.pre(changed !== text)
        expect(tagOf(changed)).not.toBe(tagOf(text))
      }),
    )
  })
})

describe('a list of entity tags', () => {
  const tag = '"a"'
  it.each([
    ['*', true, true],
    [' * ', true, true],
    ['"a"', true, true],
    ['W/"a"', false, true],
    ['"b", "a"', true, true],
    ['"b" ,W/"a" , "c"', false, true],
    ['"b"', false, false],
    ['"x,y", "a"', true, true],
    ['""', false, false],
    ['a', false, false],
    ['', false, false],
    ['"a', false, false],
    ['w/"a"', false, false],
    ['"b" "a"', false, false],
    ['"b",, "a"', false, false],
  ])('%s', (header, strong, weak) => {
    expect([ifMatch(header, tag), ifNoneMatch(header, tag)]).toEqual([strong, weak])
  })

  it('of any length and form is read in short time', () => {
    const started = cpuMs()
    for (const hostile of [
      '"'.repeat(100_000),
      '"a",'.repeat(50_000),
      ' '.repeat(100_000),
      'W/'.repeat(50_000),
      `"${'b'.repeat(100_000)}`,
    ])
      ifMatch(hostile, '"z"')
    expect(cpuMs() - started).toBeLessThan(200)
  })
})
