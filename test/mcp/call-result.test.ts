import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CallResult } from '../../src/mcp/call-result.ts'
import { codePoint } from '../support/any-text.ts'

test('the JSON of a result is what JSON.stringify makes of it', () => {
  const text = fc.string({ unit: codePoint })
  fc.assert(
    fc.property(fc.dictionary(text, fc.jsonValue()), fc.option(text), (data, own) => {
      const result = new CallResult(data, undefined, own)
      expect(CallResult.jsonOf(result)).toBe(JSON.stringify(result))
      const copy = { ...result }
      expect(CallResult.jsonOf(copy)).toBe(JSON.stringify(result))
      expect(copy).toEqual({
        structuredContent: data,
        content: [{ type: 'text', text: own ?? JSON.stringify(data) }],
      })
    }),
  )
})
