import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSqlite } from '../../adapters/sqlite/load-sqlite.ts'
import { root } from '../support/sources.ts'

/** Factories of public entries: what makes something from options. */
const FACTORY = /^(?:create|serve|to\w+Handler$)/

async function factories(): Promise<[string, (...given: unknown[]) => unknown][]> {
  const paths = readdirSync(join(root, 'adapters'))
    .filter((name) => !['command', 'common'].includes(name))
    .map((name) => `adapters/${name}/index.ts`)
  const modules = await Promise.all(
    ['src/index.ts', ...paths].map(async (path) => {
      const module: Record<string, unknown> = await import(join(root, path))
      return { path, module }
    }),
  )
  return modules.flatMap(({ path, module }) =>
    Object.entries(module).flatMap(([name, value]): [string, () => unknown][] =>
      FACTORY.test(name) && typeof value === 'function'
        ? [[`${path} ${name}`, (...given) => Reflect.apply(value, undefined, given)]]
        : [],
    ),
  )
}

test('each factory refuses an unknown option, and says so', async () => {
  const made = await factories()
  expect(made.length).toBeGreaterThan(25)
  const answers = await Promise.all(
    made.map(async ([name, make]) => {
      const options = { unheardOf: true }
      const given =
        name.endsWith('Handler') && !name.includes('Mcp') ? [() => {}, options] : [options]
      const message = await (async () => make(...given))().then(
        () => 'accepted',
        (error: unknown) => (error instanceof TypeError ? error.message : String(error)),
      )
      return { name, isRefused: message.includes(': unheardOf is no option') }
    }),
  )
  expect(answers.filter(({ isRefused }) => !isRefused)).toEqual([])
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
