import { CompletionContext } from '@codemirror/autocomplete'
import { json } from '@codemirror/lang-json'
import { syntaxTree } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { afterEach, expect, it, vi } from 'vitest'
import { completeFrom } from '../../src/console/app/builder/json-complete.ts'
import { rangeAt } from '../../src/console/app/builder/json-tree.ts'

const SCHEMA = {
  $ref: '#/$defs/Recipe',
  $defs: {
    Recipe: {
      type: 'object',
      properties: {
        start: { type: 'object', properties: { urls: { type: 'array' } } },
        extract: { anyOf: [{ const: 'auto' }, { $ref: '#/$defs/Rules' }] },
      },
    },
    Rules: {
      type: 'object',
      properties: { fields: { type: 'object', additionalProperties: { $ref: '#/$defs/Field' } } },
    },
    Field: {
      anyOf: [
        { type: 'string' },
        {
          type: 'object',
          properties: {
            css: { type: 'string' },
            as: { enum: ['text', 'number'] },
            all: { type: 'boolean' },
          },
        },
        { type: 'array', items: { $ref: '#/$defs/Field' } },
      ],
    },
  },
}

afterEach(() => {
  vi.restoreAllMocks()
})

const stateOf = (doc: string) => EditorState.create({ doc, extensions: [json()] })

/** The suggestions at the `|` of a text. */
async function offered(marked: string, explicit = true): Promise<readonly string[] | null> {
  const pos = marked.indexOf('|')
  const state = stateOf(marked.replace('|', ''))
  const result = await completeFrom(() => SCHEMA)(new CompletionContext(state, pos, explicit))
  return result?.options.map(({ label }) => label) ?? null
}

it('the names that an object may have, and does not have yet, are suggested', async () => {
  expect(await offered('{|}')).toEqual(['"start"', '"extract"'])
  expect(await offered('{"ex|"}', false)).toEqual(['"start"', '"extract"'])
  expect(await offered('{"ex|"', false)).toEqual(['"start"', '"extract"'])
  expect(await offered('{"ex|', false)).toEqual(['"start"', '"extract"'])
  expect(await offered('{"start": {}, "|"}', false)).toEqual(['"extract"'])
  expect(await offered('{"start": {"|"}}', false)).toEqual(['"urls"'])
  expect(await offered('{"extract": {"fields": {"a": {"|"}}}}', false)).toEqual([
    '"css"',
    '"as"',
    '"all"',
  ])
  expect(await offered('{"extract": {"fields": {"a": [{"css": "b"}, {"|"}]}}}', false)).toEqual([
    '"css"',
    '"as"',
    '"all"',
  ])
})

it('the values of a member with few values are suggested', async () => {
  expect(await offered('{"extract": "|"}', false)).toEqual(['"auto"'])
  expect(await offered('{"extract": {"fields": {"a": {"as": "nu|"}}}}', false)).toEqual([
    '"text"',
    '"number"',
  ])
  expect(await offered('{"extract": {"fields": {"a": {"all": |}}}}')).toEqual(['true', 'false'])
  expect(await offered('{"extract": {"fields": {"a": {"css": "|"}}}}', false)).toBe(null)
})

it('nothing is suggested before something is typed, or in a text of another form', async () => {
  expect(await offered('{ | }', false)).toBe(null)
  expect(await offered('|', true)).toBe(null)
  expect(await offered('[1, |]', true)).toBe(null)
  expect(await offered('{"none": {"|"}}', false)).toBe(null)
})

it('the place that the path of an error names is found, as far as the text has it', () => {
  const text = '{"start": {"urls": ["x", 5]}, "extract": {"fields": {"a.b": {"css": ""}}}}'
  const valueAt = (path: string) => {
    const { from, to } = rangeAt(stateOf(text), path)
    return text.slice(from, to)
  }
  expect(valueAt('recipe.start.urls.1')).toBe('5')
  expect(valueAt('extract.fields.a.b.css')).toBe('""')
  expect(valueAt('extract.fields.none')).toBe('{"a.b": {"css": ""}}')
  expect(valueAt('start.urls.7')).toBe('["x", 5]')
  expect(valueAt('')).toBe(text)
  expect(rangeAt(stateOf(''), 'start')).toEqual({ from: 0, to: 0 })
})

it('a text that the editor had no time to parse is completed and marked all the same', async () => {
  const fields = Array.from({ length: 2_000 }, (_, index) => `"f${index}": {"css": "b"}`).join(', ')
  const marked = `{"extract": {"fields": {${fields}, "last": {"|"}}}}`
  const text = marked.replace('"|"', '"css": 7')
  // A machine on which each look at the clock takes a second.
  let now = 0
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 1_000))
  expect(syntaxTree(stateOf(text)).length).toBeLessThan(text.length)
  expect(await offered(marked, false)).toEqual(['"css"', '"as"', '"all"'])
  const { from, to } = rangeAt(stateOf(text), 'recipe.extract.fields.last.css')
  expect(text.slice(from, to)).toBe('7')
})
