#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import nodeModule from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beginLarger, collectAlone, keepHeapSmall, letGarbageGrow } from '../common/collector.ts'
import { commandName } from './command-name.ts'
import { CommandError, WRONG_KEY, tryAgain } from './command-error.ts'
import { HELP } from './help.ts'

/**
 * Keeps compiled code for the next start, which then needs a fifth less CPU. It is code that will
 * run, so it is kept in a folder of the user, not in the shared one that Node would choose. If
 * nothing can be written, the command works without it.
 */
function keepCompiledCode(): void {
  const { XDG_CACHE_HOME: cache, HOME: home, USERPROFILE: profile = home } = process.env
  const folder = cache || (profile && join(profile, '.cache'))
  if (folder) nodeModule.enableCompileCache(join(folder, 'seine'))
}

beginLarger()

// Some Node versions warn that node:sqlite is experimental, which a user of the command cannot
// change.
process.removeAllListeners('warning')
process.on(
  'warning',
  (warning) =>
    void (
      warning.name !== 'ExperimentalWarning' &&
      process.stderr.write(`warning: ${warning.message}\n`)
    ),
)

// Loaded on demand: after the line above, and only the code that the command needs.
const COMMANDS: Readonly<Record<string, () => Promise<(args: string[]) => Promise<number>>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  extract: async () => (await import('./extract.ts')).extract,
  mcp: async () => (await import('./mcp/mcp.ts')).mcp,
  init: async () => (await import('./init.ts')).init,
  config: async () => (await import('./config.ts')).config,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  verify: async () => (await import('./verify/verify.ts')).verify,
  backup: async () => (await import('./backup/backup.ts')).backup,
  restore: async () => (await import('./backup/restore.ts')).restore,
  erase: async () => (await import('./backup/erase.ts')).erase,
  bench: async () => (await import('./bench/bench.ts')).bench,
  completion: async () => (await import('./completion.ts')).completion,
}

/** Commands for which memory matters more than start time. */
const LIVES_LONG: ReadonlySet<string> = new Set(['serve', 'mcp', 'bench'])

/** Commands that call the HTTP API, here or elsewhere. */
const API_COMMANDS = [
  'runs',
  'pages',
  'rows',
  'export',
  'tasks',
  'preview',
  'estimate',
  'schedule',
  'datasets',
  'templates',
  'keys',
  'usage',
  'accounts',
  'operator',
]

/** The first Node with node:sqlite. `package.json` has the same version. */
const LEAST_NODE = [22, 13] as const

async function run(args: string[]): Promise<number> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]))
    throw new CommandError(
      `Node ${LEAST_NODE.join('.')} or later is needed; this is ${process.versions.node}. Install one from ` +
        'https://nodejs.org, or let npm bring it: npx --package=node@24 --package=seine seine --help',
    )
  keepCompiledCode()
  const [name = '--help', ...rest] = args
  if (name === 'help' && rest[0] !== undefined) return run([rest[0], '--help'])
  if (name === '--help' || name === '-h' || name === 'help')
    return (void process.stdout.write(HELP), 0)
  if (name === '--version' || name === '-v') return (void process.stdout.write(`${version()}\n`), 0)
  if (API_COMMANDS.includes(name))
    return (await import('./api/run-action.ts')).runAction(name, rest)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) {
    const [{ namesInstead }, { COMMAND_NAMES }] = await Promise.all([
      import('../../src/kernel/names.ts'),
      import('./commands.ts'),
    ])
    throw new CommandError(`seine has no command "${name}"${namesInstead(name, COMMAND_NAMES)}`, 2)
  }
  // A long-running command keeps a small heap. For others the heap may grow while code is loaded:
  // nearly all of it stays, and a small heap would copy it again and again.
  if (LIVES_LONG.has(name)) {
    keepHeapSmall()
    letGarbageGrow()
    collectAlone()
  }
  const perform = await command()
  keepHeapSmall()
  return perform(rest)
}

function version(): string {
  const facts: unknown = JSON.parse(
    readFileSync(fileURLToPath(import.meta.resolve('seine/package.json')), 'utf8'),
  )
  return typeof facts === 'object' && facts !== null && 'version' in facts
    ? String(facts.version)
    : ''
}

/** Errors whose message is sufficient: refusals, and a store that cannot be reached. */
const EXPECTED: ReadonlySet<string> = new Set(['PlatformError', 'SeineError', 'StoreFailure'])

function withCause(error: Error): string {
  if ('status' in error && error.status === 401) return `${error.message}\n${WRONG_KEY}`
  const code = 'code' in error ? error.code : null
  if ('retryAfter' in error && typeof error.retryAfter === 'number')
    return error.message + tryAgain(error.retryAfter)
  if (error.name !== 'StoreFailure' && code !== 'NETWORK_ERROR') return error.message
  const [message = ''] = causesOf(error).slice(-1)
  return message === '' ? error.message : `${error.message}: ${message}`
}

/** The messages of an error's causes. */
function causesOf({ cause }: Error): string[] {
  return cause instanceof Error ? [cause.message, ...causesOf(cause)].filter(Boolean) : []
}

/** Describes an error for the terminal: one line, with a stack only for a defect. */
function explain(error: unknown): { text: string; exitCode: number } {
  if (error instanceof CommandError) return { text: error.message, exitCode: error.exitCode }
  if (!(error instanceof Error)) return { text: String(error), exitCode: 1 }
  if ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
    return {
      text: `${error.message.replace(/\.? To specify a positional.*$/s, '')}\nTry ${commandName()} --help`,
      exitCode: 2,
    }
  if (EXPECTED.has(error.name)) return { text: withCause(error), exitCode: 1 }
  return { text: error.stack ?? error.message, exitCode: 1 }
}

// A reader such as `head` may close the pipe early. That is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : 1),
)

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  const { text, exitCode } = explain(error)
  process.stderr.write(`seine: ${text}\n`)
  process.exitCode = exitCode
}
