import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSqlite } from '../../adapters/common/sqlite/drivers.ts'
import { root } from '../support/sources/sources.ts'

/**
 * Factories of public entries: functions that make something from options, or back up by them. The
 * client is not among them: it may have 5 KB only, and its types check its options.
 */
const FACTORY =
  /^(?:create|serve|to\w+Handler$|defineTemplate$|(?:write|restore)Backup$|eraseAccount$)/

interface PublicFunction {
  readonly name: string
  /** Parameters before the first that has a default. */
  readonly parameters: number
  readonly isError: boolean
  readonly call: (...args: unknown[]) => unknown
}

async function publicFunctions(): Promise<PublicFunction[]> {
  const adapters = readdirSync(join(root, 'adapters'))
    .filter((name) => !['command', 'common'].includes(name))
    .map((name) => `adapters/${name}/index.ts`)
  const exported = await Promise.all(
    ['src/index.ts', 'src/engine.ts', 'src/console.ts', 'src/backup.ts', ...adapters].map(
      async (path) => {
        const module: Record<string, unknown> = await import(join(root, path))
        return Object.entries(module)
      },
    ),
  )
  return exported.flat().flatMap(([name, value]) =>
    typeof value === 'function'
      ? [
          {
            name,
            parameters: value.length,
            isError: Object.prototype.isPrototypeOf.call(Error, value),
            call: (...args: unknown[]): unknown => Reflect.apply(value, undefined, args),
          },
        ]
      : [],
  )
}

/** The message with which a factory refuses options; `accepted` if it does not. */
async function refusalOf({ name, call }: PublicFunction, options: unknown): Promise<string> {
  const takesHandler = name.endsWith('Handler') && !name.includes('Mcp')
  return (async () => call(...(takesHandler ? [() => {}, options] : [options])))().then(
    () => 'accepted',
    (error: unknown) => (error instanceof TypeError ? error.message : `not a TypeError: ${error}`),
  )
}

/** An option of a factory, or a part of one. */
interface FactoryOption {
  /** `worker.leaseMs`; of all options: empty. */
  readonly path: string
  /** The factory's words for a right value. */
  readonly expected: string
  /** Makes options in which this option has the value, and no other has one. */
  readonly write: (value: unknown) => unknown
}

/**
 * The options of a factory, at any depth, and those that it does not check. They are found by the
 * members that it reads from its options, so this list is never older than the factory.
 */
async function optionsIn(
  factory: PublicFunction,
): Promise<{ checked: FactoryOption[]; loose: string[] }> {
  const checked: FactoryOption[] = []
  const loose: string[] = []
  const descend = async ({ path, expected, write }: FactoryOption): Promise<void> => {
    // The factory names no member of such an object.
    if (expected.includes('which is an object')) return
    const names = new Set<string>()
    const watched = new Proxy(
      { unheardOf: 1n },
      {
        get: (target, name) => {
          if (typeof name === 'string') names.add(name)
          return Reflect.get(target, name)
        },
      },
    )
    await refusalOf(factory, write(watched))
    const members = [...names, 'unheardOf'].map(
      (name) => [name, (value: unknown) => write({ [name]: value })] as const,
    )
    const ofList = ['0', (value: unknown) => write([value])] as const
    for (const [name, writeMember] of new Map([...members, ...(path === '' ? [] : [ofList])])) {
      const below = path === '' ? name : `${path}.${name}`
      const message = await refusalOf(factory, writeMember(1n))
      const requirement = message.split(`${below} must be `)[1]?.split(/, not 1(?:; |$)/)[0]
      if (requirement !== undefined) {
        const option = { path: below, expected: requirement, write: writeMember }
        checked.push(option)
        await descend(option)
      } else if (
        !message.includes(`${below} is not an option`) &&
        !(path !== '' && message.includes(`${path} must be `))
      )
        loose.push(below)
    }
  }
  await descend({ path: '', expected: 'options', write: (value) => value })
  return { checked, loose }
}

/** Values, each with a pattern that matches the description of every option that accepts the value. */
const VALUES: readonly (readonly [unknown, RegExp])[] = [
  [null, /\bnull\b/],
  [true, /\btrue\b/],
  [false, /\bfalse\b/],
  [0.5, /\bnumber\b(?!s)/],
  [-1, /\bnumber\b(?! from \d| above)/],
  [Number.NaN, /^$/],
  ['\u0000', /\btext\b(?! of)/],
  ['', /^a text$|\ba text(?! that| of)\b/],
  [[], /\blist\b(?! of at least)/],
  [{}, /\bobject\b/],
  [() => {}, /\bfunction\b/],
  [1n, /^$/],
]

test('each factory refuses a wrong value and a misspelt name of each of its options', async () => {
  const factories = (await publicFunctions()).filter(({ name }) => FACTORY.test(name))
  expect(factories.length).toBeGreaterThan(31)
  const failing: string[] = []
  for (const factory of factories) {
    const unknown = await refusalOf(factory, { unheardOf: true })
    if (!unknown.startsWith(`${factory.name}: `) || !unknown.includes('unheardOf is not an option'))
      failing.push(`${factory.name} with an unknown option: ${unknown}`)
    const { checked, loose } = await optionsIn(factory)
    if (checked.length === 0) failing.push(`${factory.name} checks no option`)
    failing.push(...loose.map((path) => `${factory.name} does not check ${path}`))
    const wrong = checked.flatMap((option) =>
      VALUES.filter(([, words]) => !words.test(option.expected)).map(([value]) => ({
        option,
        value,
      })),
    )
    for (const { option, value } of wrong) {
      const message = await refusalOf(factory, option.write(value))
      if (!message.startsWith(`${factory.name}: `) || !message.includes(`${option.path} must be `))
        failing.push(`${factory.name} with ${option.path}: ${String(value)}: ${message}`)
    }
    for (const { path, write } of checked) {
      const name = path.split('.').at(-1) ?? ''
      if (/^(0|unheardOf)$/.test(name)) continue
      // Spreading objects makes undefined members, so undefined counts as absent. Prices are an
      // exception: without a price pages are free.
      const absent = write(undefined)
      const without: unknown = JSON.parse(JSON.stringify(absent))
      const refusal = await refusalOf(factory, absent)
      const isFine = refusal === 'accepted' || (await refusalOf(factory, without)) !== 'accepted'
      if (isFine === path.startsWith('billing.prices.'))
        failing.push(`${factory.name} with ${path}: undefined: ${refusal}`)
      const misspelt = `${name.slice(0, 1)}_${name.slice(1)}`
      const options: unknown = JSON.parse(
        JSON.stringify(write(1)).replace(`"${name}":1`, `"${misspelt}":1`),
      )
      const message = await refusalOf(factory, options)
      if (!message.includes(`${misspelt} is not an option; did you mean ${path}?`))
        failing.push(`${factory.name} with ${misspelt} for ${path}: ${message}`)
    }
  }
  expect(failing).toEqual([])
})

test('options are objects: no public function needs three arguments', async () => {
  const functions = await publicFunctions()
  // A class of errors takes the arguments of `Error`, after a code.
  const tooMany = functions.filter(({ parameters, isError }) => parameters > 2 && !isError)
  expect(tooMany).toEqual([])
})

test('the error in a Node without node:sqlite says which versions have it, and what else is possible', () => {
  const absent = () => {
    throw new Error('No such built-in module: node:sqlite')
  }
  expect(() => loadSqlite(absent, 'v20.11.0')).toThrow(
    /needs node:sqlite, which Node has from 22\.13 on; this is Node v20\.11\.0\. .* another store/,
  )
  expect(loadSqlite().DatabaseSync).toBeTypeOf('function')
})
