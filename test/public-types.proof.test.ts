import { expect, test } from 'vitest'
import { entries } from './support/sources/manifest.ts'
import { unexportedTypes } from './support/sources/public-types.ts'

test('an entry exports every type that a public signature names', () => {
  expect(unexportedTypes(entries.map(({ source }) => source))).toEqual([])
})

test('planted: missing types of parameters, results, members and derived types', () => {
  const planted = new Map([
    [
      'src/planted.ts',
      `import type { A, B, C, D, Kept } from './planted-types.ts'
       export type { Kept } from './planted-types.ts'
       export function make(a: A): Kept & Pick<B, 'c'> { throw new Error(String(a)) }
       export class Box { #d: D | null = null; private readonly e: D | null = null; read(): C['deep'] { throw new Error(String(this.#d ?? this.e)) } }`,
    ],
    [
      'src/planted-types.ts',
      `export interface A { readonly a: string }
       export interface B { readonly c: C; readonly d: D }
       export interface C { readonly deep: readonly E[] }
       export interface D { readonly d: number }
       export interface E { readonly e: number }
       export interface Kept { readonly a?: string
         /** @internal */ readonly d?: D }`,
    ],
  ])
  expect(unexportedTypes(['src/planted.ts'], planted)).toEqual([
    'src/planted-types.ts: A, named by make',
    'src/planted-types.ts: C, named by make.c',
    'src/planted-types.ts: E, named by C',
  ])
})
