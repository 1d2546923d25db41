import { expect, it } from 'vitest'
import { dataSettings } from '../../../adapters/command/backup/data-settings.ts'
import { parseFlags } from '../../../adapters/command/settings/parse-flags.ts'
import { failingCases } from '../../support/failing-cases.ts'

const CONFIG = {
  options: { field: { type: 'string', multiple: true }, json: { type: 'boolean' } },
} as const

/** Words of a command line, and what is said about them. */
const WRONG: readonly (readonly [string, string])[] = [
  ['--feild=a', 'seine extract has no flag --feild; did you mean --field?'],
  ['--zzzzzz', 'seine extract has no flag --zzzzzz; known: --field, --json'],
  ['-x', 'seine extract has no flag -x'],
  ['--field', '--field needs a value'],
  ['--field --json', '--field needs a value; one that begins with - is written --field=-…'],
  ['--json=yes', '--json takes no value'],
  ['page', 'seine extract takes no page'],
]

it('a wrong word of a command line is named, with its way out and the help of its command', async () => {
  expect(
    await failingCases(
      WRONG,
      ([line]) => line,
      ([line, message]) => {
        const parse = () => parseFlags('extract', { ...CONFIG, args: line.split(' ') })
        expect(parse).toThrow(message)
        expect(parse).toThrow(/\nTry seine extract --help$/)
      },
    ),
  ).toEqual([])
})

it('a switch that is misspelt in its negative is known by it, another flag by its name', () => {
  expect(() =>
    parseFlags('serve', {
      args: ['--no-prot'],
      allowNegative: true,
      options: { port: { type: 'string' } },
    }),
  ).toThrow('seine serve has no flag --no-prot; did you mean --port?')
  expect(() =>
    parseFlags('serve', {
      args: ['--no-consol'],
      allowNegative: true,
      options: { console: { type: 'boolean' } },
    }),
  ).toThrow('seine serve has no flag --no-consol; did you mean --no-console?')
})

const COMMANDS = ['backup', 'restore'] as const

it('a command on the data itself says why no server can do it, and what a server can do', () => {
  for (const command of COMMANDS)
    expect(() =>
      parseFlags(command, { args: ['--url', 'https://a.example'], options: {} }),
    ).toThrow(/^seine \w+ works where the data is, and on no server: .* On a server, seine \w+ \w+/)
})

it('the data of this folder is not taken for that of a server which a variable names', async () => {
  const env = { SEINE_URL: 'https://a.example', SEINE_KEY: 'svc_sk_a' }
  for (const command of COMMANDS) {
    await expect(dataSettings(command, {}, env)).rejects.toThrow(
      `SEINE_URL names a server. seine ${command} works where the data is`,
    )
    expect(await dataSettings(command, { data: 'here' }, env)).toMatchObject({ data: 'here' })
    expect(await dataSettings(command, {}, { ...env, SEINE_STORE: 'sqlite:a.db' })).toMatchObject({
      store: 'sqlite:a.db',
    })
  }
})

it('flags that are right are returned', () => {
  const { values } = parseFlags('extract', { ...CONFIG, args: ['--field', 'a', '--json'] })
  expect({ ...values }).toEqual({ field: ['a'], json: true })
})
