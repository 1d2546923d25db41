import { expect, test } from 'vitest'
import { readTraceContext } from '../../../src/kernel/http/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

// The vectors of W3C Trace Context, sections 3.2.2 and 4.3.
test.each([
  [`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`],
  [`00-${TRACE}-${PARENT}-00`, `00-${TRACE}-${PARENT}-00`],
  [`00-${TRACE}-${PARENT}-ff`, `00-${TRACE}-${PARENT}-01`],
  [`cc-${TRACE}-${PARENT}-01-what-the-future-has`, `00-${TRACE}-${PARENT}-01`],
  [`00-${TRACE}-${PARENT}-01-more`, undefined],
  [`ff-${TRACE}-${PARENT}-01`, undefined],
  [`00-${'0'.repeat(32)}-${PARENT}-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE.toUpperCase()}-${PARENT}-01`, undefined],
  [`00-${TRACE}-${PARENT}`, undefined],
  ['', undefined],
])('the traceparent %s is read as %s', (header, read) => {
  expect(readTraceContext(header, null)?.traceparent).toBe(read)
})

test('a tracestate is passed on unchanged, unless it is too long or no text of a header', () => {
  const traceparent = `00-${TRACE}-${PARENT}-01`
  expect(readTraceContext(traceparent, 'a=1,b=2')?.tracestate).toBe('a=1,b=2')
  for (const wrong of ['x'.repeat(513), 'a=\n', '', 5, null])
    expect(readTraceContext(traceparent, wrong)).toEqual({ traceparent })
})
