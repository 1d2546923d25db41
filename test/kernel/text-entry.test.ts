import { expect, it } from 'vitest'
import { TextEntry } from '../../src/kernel/text/text-entry.ts'

it('gives the value of its text, the same one each time', () => {
  const entry = new TextEntry(['acme', 'things', 1], '{"list":[1,null]}', '7')
  expect(entry.version).toBe('7')
  expect(entry.value).toEqual({ list: [1, null] })
  expect(entry.value).toBe(entry.value)
})

it('knows null from what was not looked at', () => {
  const entry = new TextEntry(['acme'], 'null', '1')
  expect([entry.value, entry.value]).toEqual([null, null])
})

it('parses nothing before somebody looks', () => {
  const entry = new TextEntry(['acme'], 'no JSON', '1')
  expect(entry.version).toBe('1')
  expect(() => entry.value).toThrow(SyntaxError)
})
