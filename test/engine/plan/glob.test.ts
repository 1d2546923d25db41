import { describe, expect, test } from 'vitest'
import { compileGlob } from '../../../src/engine/plan/compile-scope.ts'
import { cpuMs } from '../../support/cpu-ms.ts'

describe('globs', () => {
  test.each([
    ['https://a.example/shop/*', 'https://a.example/shop/x', true],
    ['https://a.example/shop/*', 'https://a.example/shop/x/y', false],
    ['https://a.example/shop/**', 'https://a.example/shop/x/y?z=1', true],
    ['/p/*/reviews', 'https://a.example/p/12/reviews', true],
    ['/p/*/reviews', 'https://a.example/p/1/2/reviews', false],
    ['a.example/**', 'https://a.example/x', true],
    ['a.example/**', 'https://b.example/a.example/x', false],
    ['**/print', 'https://a.example/x/print', true],
    ['**.pdf', 'https://a.example/A.PDF', true],
    ['*', 'https://a.example/', false],
    ['**', 'https://a.example/', true],
    ['/a+(b)?.html', 'https://a.example/a+(b)?.html', true],
  ])('match with %s on %s: %s', (glob, url, expected) =>
    expect(compileGlob(glob)(url)).toBe(expected),
  )

  test('take little time, also hostile ones', () => {
    const begin = cpuMs()
    expect(compileGlob(`**${'*a'.repeat(200)}b`)(`https://a.example/${'a'.repeat(2_000)}`)).toBe(
      false,
    )
    expect(compileGlob(`${'**a'.repeat(160)}b`)(`https://a.example/${'a'.repeat(2_000)}`)).toBe(
      false,
    )
    // Each `x` may begin a match that no `b` ends.
    const url = `https://a.example/${'x'.repeat(1_000)}${'a'.repeat(1_000)}`
    for (let index = 0; index < 10; index++)
      expect(compileGlob(`**x*${'a'.repeat(480 + index)}b`)(url)).toBe(false)
    expect(cpuMs() - begin).toBeLessThan(500)
  })
})
