import { SETTING_NAMES, keyOf, settingOf, variableOf } from './table.ts'
import type { Setting, SettingName } from './table.ts'

const GROUPS: Readonly<Record<Setting['group'], string>> = {
  server: 'Server',
  data: 'Where data is',
  callers: 'Who may call',
  limits: 'Limits, plans and prices',
  pages: 'Pages, search and models',
  worker: 'Jobs',
  mail: 'Mail',
  logs: 'Logs',
}
/** The columns at which explanations begin and end. */
const COLUMN = 26
const WIDTH = 100

/** The help of `seine serve`, from the table of settings. */
export function serveHelp(): string {
  return `seine serve – serve the HTTP API and run its jobs

${listing(flagOf, flagExplained)}
  --config <file>         a file of settings, default seine.config.{ts,mjs,js,json} if there is one

Each flag may be a variable: SEINE_PUBLIC_URL, SEINE_RATE=tasks=120/60s,mcp=off, SEINE_WORKER=0, or a key of
the file: publicUrl. A flag overrides its variable, and a variable overrides the file. A secret may be read
from a file: SEINE_KEY_FILE=/run/secrets/key. seine config settings lists all, seine config check says what
is set.

GET /healthz is 200 if the process answers; GET /readyz is 200 if store and blobs answer, else 503.

It prints "listening http://HOST:PORT" once it listens. If the store has no key yet, a development key is
created and shown once. SIGINT and SIGTERM end it cleanly; unfinished executions continue at the next start.
`
}

/** All settings with their variables and keys. */
export function settingsHelp(): string {
  return `Settings of seine serve. A flag overrides its variable, and a variable overrides the file.

${listing(
  (name, { isSecret }) => `${keyOf(name)} ${variableOf(name)}${isSecret ? '[_FILE]' : ''}`,
  explained,
)}`
}

/** Groups of settings with a heading. */
function listing(
  nameOf: (name: SettingName, setting: Setting) => string,
  textOf: (setting: Setting) => string,
): string {
  return Object.entries(GROUPS)
    .map(([group, heading]) => {
      const lines = SETTING_NAMES.flatMap((name) => {
        const setting = settingOf(name)
        return setting.group === group ? [entry(nameOf(name, setting), textOf(setting))] : []
      })
      return `${heading}\n${lines.join('')}`
    })
    .join('\n')
}

/** A switch that is on by default is set by `--no-` and its name. */
function isOnByDefault({ takes, fallback }: Setting): boolean {
  return takes === null && fallback === 'on'
}

function flagOf(name: SettingName, setting: Setting): string {
  const { takes } = setting
  return `--${isOnByDefault(setting) ? 'no-' : ''}${name}${takes === null ? '' : ` ${takes}`}`
}

function flagExplained(setting: Setting): string {
  return isOnByDefault(setting) ? `without ${setting.help}` : explained(setting)
}

function explained({ help, fallback }: Setting): string {
  return fallback === 'none' || fallback === 'off' ? help : `${help}. Default: ${fallback}`
}

/** The name with its explanation beside it. A long name has its own line. */
function entry(name: string, text: string): string {
  const start = `  ${name}`
  const lines = wrap(text, WIDTH - COLUMN)
  const first = start.length < COLUMN - 1 ? start.padEnd(COLUMN) + (lines.shift() ?? '') : start
  return [first, ...lines.map((line) => ' '.repeat(COLUMN) + line)]
    .map((line) => `${line}\n`)
    .join('')
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
