import { expect, it } from 'vitest'
import { TextEntry } from '../../src/kernel/text/text-entry.ts'

it('an entry gives the value of its text, and the same object each time', () => {
  const entry = new TextEntry(['acme', 'things', 1], '{"list":[1,null]}', '7')
  expect(entry.version).toBe('7')
  expect(entry.value).toEqual({ list: [1, null] })
  expect(entry.value).toBe(entry.value)
})

it('an entry tells the value null from a text that was not parsed yet', () => {
  const entry = new TextEntry(['acme'], 'null', '1')
  expect([entry.value, entry.value]).toEqual([null, null])
})

it('a text is not parsed before its value is read', () => {
  const entry = new TextEntry(['acme'], 'no JSON', '1')
  expect(entry.version).toBe('1')
  expect(() => entry.value).toThrow(SyntaxError)
})
