import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSqlite } from '../../adapters/sqlite/load-sqlite.ts'
import { root } from '../support/sources/sources.ts'

/** Factories of public entries: what makes something from options. */
const FACTORY = /^(?:create|serve|to\w+Handler$)/

interface PublicFunction {
  readonly name: string
  /** Parameters before the first that has a default. */
  readonly parameters: number
  readonly isError: boolean
  readonly call: (...given: unknown[]) => unknown
}

async function publicFunctions(): Promise<PublicFunction[]> {
  const adapters = readdirSync(join(root, 'adapters'))
    .filter((name) => !['command', 'common'].includes(name))
    .map((name) => `adapters/${name}/index.ts`)
  const exported = await Promise.all(
    ['src/index.ts', 'src/engine.ts', ...adapters].map(async (path) => {
      const module: Record<string, unknown> = await import(join(root, path))
      return Object.entries(module)
    }),
  )
  return exported.flat().flatMap(([name, value]) =>
    typeof value === 'function'
      ? [
          {
            name,
            parameters: value.length,
            isError: Object.prototype.isPrototypeOf.call(Error, value),
            call: (...given: unknown[]): unknown => Reflect.apply(value, undefined, given),
          },
        ]
      : [],
  )
}

test('each factory refuses an unknown option, and says so', async () => {
  const factories = (await publicFunctions()).filter(({ name }) => FACTORY.test(name))
  expect(factories.length).toBeGreaterThan(25)
  const answers = await Promise.all(
    factories.map(async ({ name, call }) => {
      const options = { unheardOf: true }
      const given =
        name.endsWith('Handler') && !name.includes('Mcp') ? [() => {}, options] : [options]
      const message = await (async () => call(...given))().then(
        () => 'accepted',
        (error: unknown) => (error instanceof TypeError ? error.message : String(error)),
      )
      return { name, isRefused: message.includes(': unheardOf is no option') }
    }),
  )
  expect(answers.filter(({ isRefused }) => !isRefused)).toEqual([])
})

test('options are objects: no public function needs three arguments', async () => {
  const functions = await publicFunctions()
  // An error takes what an `Error` does, after its code.
  const tooMany = functions.filter(({ parameters, isError }) => parameters > 2 && !isError)
  expect(tooMany).toEqual([])
})

test('a Node without node:sqlite is told which has it, and what else one can do', () => {
  const absent = () => {
    throw new Error('No such built-in module: node:sqlite')
  }
  expect(() => loadSqlite(absent, 'v20.11.0')).toThrow(
    /needs node:sqlite, which Node has from 22\.13 on; this is Node v20\.11\.0\. .* another store/,
  )
  expect(loadSqlite().DatabaseSync).toBeTypeOf('function')
})
