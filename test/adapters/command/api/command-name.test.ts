import { expect, it } from 'vitest'
import { asFlags } from '../../../../adapters/command/api/run-action.ts'
import { commandName } from '../../../../adapters/command/command-name.ts'
import { COMMAND_NAMES } from '../../../../adapters/command/commands.ts'
import { nameMeant } from '../../../../src/kernel/names.ts'
import { readSources } from '../../../support/sources/sources.ts'

it('the command has the name that was typed', () => {
  const npx = { npm_command: 'exec', npm_lifecycle_event: 'npx' }
  expect(commandName({})).toBe('seine')
  // Bare, or in quotes of the shell: npm differs by its version.
  for (const script of ['seine', "'seine'", '"seine"'])
    expect(commandName({ ...npx, npm_lifecycle_script: script })).toBe('npx seine')
  expect(commandName({ ...npx, npm_lifecycle_script: 'vitest' })).toBe('seine')
  expect(commandName({ npm_lifecycle_event: 'seine' })).toBe('npm run -s seine --')
})

/** Help and scripts of shells have the command's own name. */
const IS_HELP = /\b(?:help|completion|command-name)\.ts$|\/actions\.ts$/
/** Messages may be about a command: `seine serve has no flag`. */
const IS_SUBJECT =
  /seine (?:config )?(?:\w+|\$\{\w+\}) (?:has|takes|needs|works|fetches)\b|`seine mcp: |'seine doctor'/
/** Other programs that get the name. */
const IS_OTHER = /--package=seine seine|claude mcp add/

it('every hint names the command as it was called', () => {
  const command = new RegExp(`(?<!npx )\\bseine (?:${COMMAND_NAMES.join('|')}|\\$\\{|--)`)
  const lines = [...readSources('adapters/command')]
    .filter(([path]) => !IS_HELP.test(path))
    .flatMap(([path, text]) => text.split('\n').map((line) => `${path}: ${line.trim()}`))
    .filter((line) => !/: (?:\/?\*|\/\/)/.test(line))
  expect(lines.length).toBeGreaterThan(3_000)
  const hints = lines.filter(
    (line) => command.test(line) && !IS_SUBJECT.test(line) && !IS_OTHER.test(line),
  )
  expect(hints).toEqual([])
})

it('parameters of the API are flags in messages of the command', () => {
  const action = { query: { sort: '<at|-at>', descendants: '', 'time-zone': '<zone>' } }
  expect(asFlags('is for the feed: leave out `sort=-at`', action)).toBe(
    'is for the feed: leave out --sort -at',
  )
  expect(asFlags('descendants=true, timeZone=UTC, x=1', action)).toBe(
    '--descendants, --time-zone UTC, x=1',
  )
  const url = 'https://shop.example.com/?sort=up&sort=down is not reached'
  expect(asFlags(url, action)).toBe(url)
})

it('the first word of flags is taken for these', () => {
  const names = ['port', 'log-format', 'log-requests', 'lot']
  expect(nameMeant('log', names)).toBe('; did you mean log-format or log-requests?')
  expect(nameMeant('prot', names)).toBe('; did you mean port?')
  expect(nameMeant('lo', names)).not.toContain('log-format')
})
