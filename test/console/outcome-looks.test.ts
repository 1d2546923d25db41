import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OUTCOMES } from '../../src/features/executions/schema.ts'
import { root } from '../support/sources/sources.ts'

// Proves that bars and charts show the outcomes of pages in different looks.

const read = (path: string) => readFileSync(join(root, 'src/console/app', path), 'utf8')
const css = read('style.css')
// A part of a screen cannot be loaded without a browser.
const PARTS = [...read('parts/outcomes.tsx').matchAll(/^ {2}\['(\w+)', '(\w+)'\],$/gm)].map(
  ([, name = '', look = '']) => ({ name, look }),
)
const PAGE = ['#ffffff', '#12161d'] as const

/** The colours of a variable or of a look: by light, and by dark. */
function coloursOf(value: string): readonly [light: string, dark: string] {
  const [, name] = /^var\((--[\w-]+)\)$/.exec(value) ?? []
  if (name !== undefined)
    return coloursOf(new RegExp(`^ {2}${name}: (.*);$`, 'm').exec(css)?.[1] ?? '')
  const { 1: light, 2: dark } = /^light-dark\((#[\da-f]{6}), (#[\da-f]{6})\)$/.exec(value) ?? []
  if (light === undefined || dark === undefined) throw new Error(`No colours: ${value}`)
  return [light, dark]
}

/** Red, green and blue as light, from 0 to 1. */
const lightsOf = (colour: string) =>
  [1, 3, 5].map((index) => {
    const part = Number.parseInt(colour.slice(index, index + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
const sumOf = (weights: readonly number[], values: readonly number[]) =>
  weights.reduce((sum, weight, index) => sum + weight * (values[index] ?? 0), 0)

/** A colour as people see it: equal distances look equally different (Oklab). */
function seen(colour: string): readonly number[] {
  const lights = lightsOf(colour)
  const cones = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ].map((weights) => Math.cbrt(sumOf(weights, lights)))
  return [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ].map((weights) => sumOf(weights, cones))
}

const distance = (one: string, other: string) => {
  const [from, to] = [seen(one), seen(other)]
  return Math.hypot(...from.map((value, index) => value - (to[index] ?? 0)))
}

const contrast = (one: string, other: string) => {
  const [bright = 0, dim = 0] = [one, other]
    .map((colour) => sumOf([0.2126, 0.7152, 0.0722], lightsOf(colour)))
    .toSorted((a, b) => b - a)
  return (bright + 0.05) / (dim + 0.05)
}

it('each outcome of a page has a colour that differs from all others, in light and in dark', () => {
  expect(PARTS.map(({ name }) => name).toSorted()).toEqual([...OUTCOMES].toSorted())
  const looks = PARTS.map(({ name, look }) => {
    const value = new RegExp(`\\.${look} \\{\\n {2}--look: (.*);`).exec(css)?.[1] ?? ''
    return { name, colours: coloursOf(value) }
  })
  const alike: string[] = []
  for (const mode of [0, 1] as const)
    for (const [index, { name, colours }] of looks.entries()) {
      // Pages that wait are as pale as those that are not there yet.
      if (name !== 'pending' && contrast(colours[mode], PAGE[mode]) < 3) alike.push(`${name} pale`)
      for (const other of looks.slice(index + 1))
        if (distance(colours[mode], other.colours[mode]) < 0.08)
          alike.push(`${mode === 0 ? 'light' : 'dark'} ${name} ${other.name}`)
    }
  expect(alike).toEqual([])
})
