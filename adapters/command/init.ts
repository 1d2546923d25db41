import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isObject } from '../../src/kernel/json.ts'
import { namesInstead } from '../../src/kernel/names.ts'
import { CommandError, wrongUse } from './command-error.ts'
import { INIT_HELP } from './help.ts'
import { parseFlags } from './settings/parse-flags.ts'

/** How an app of this kind is started, and what it needs besides Seine. */
interface Host {
  /** The package in `package.json` that identifies it. */
  readonly tell?: string
  readonly packages?: readonly string[]
  readonly start: string
  /** Further needs if its data is not in a file. */
  readonly needs?: string
}

const FILE = 'seine.ts'
/** Notes on the data of the starter files. */
const FIRST_KEY = 'npx seine keys create --store sqlite:seine.db --blobs file:seine-blobs'
const IN_NODE = `node ${FILE}`

/** Hosts with a starter file. Those that identify a project best come first. */
const HOSTS: Readonly<Record<string, Host>> = {
  next: { tell: 'next', start: 'npx next dev' },
  elysia: { tell: 'elysia', packages: ['elysia'], start: `bun ${FILE}` },
  fastify: { tell: 'fastify', packages: ['fastify'], start: IN_NODE },
  hono: { tell: 'hono', packages: ['hono'], start: IN_NODE },
  express: { tell: 'express', packages: ['express'], start: IN_NODE },
  cloudflare: {
    tell: 'wrangler',
    start: 'npx wrangler dev',
    needs: 'In wrangler.toml: a D1 database DB, an R2 bucket BLOBS, and crons = ["* * * * *"].',
  },
  deno: { start: `deno run -A ${FILE}` },
  bun: { start: `bun ${FILE}` },
  'node-http': { start: IN_NODE },
  serve: { start: IN_NODE },
}

/** Lock files, and the package manager of each. */
const LOCKS = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['deno.lock', 'deno'],
  ['package-lock.json', 'npm'],
] as const

/** `seine init`: a starter for the framework of a project. */
export async function init(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('init', {
    args,
    allowPositionals: true,
    options: { dir: { type: 'string', default: '.' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return (void process.stdout.write(INIT_HELP), 0)
  const { dir } = values
  const [named, ...others] = positionals
  if (others.length > 0) throw wrongUse('seine init takes one host, such as express')
  if (!existsSync(dir)) throw wrongUse(`--dir ${dir}: there is no such folder`)
  const name = named ?? hostIn(dir)
  const host = Object.hasOwn(HOSTS, name) ? HOSTS[name] : undefined
  if (!host)
    throw wrongUse(`There is no starter for ${name}${namesInstead(name, Object.keys(HOSTS))}`)
  const paths = write(name, dir)
  const manager = managerIn(dir)
  const packages = ['seine', ...(host.packages ?? [])].filter((each) => !dependenciesIn(dir)[each])
  process.stdout.write(
    `${[
      `Written for ${name}: ${paths.join(', ')}`,
      '',
      ...(packages.length > 0 ? [`  ${installing(manager, packages)}`] : []),
      `  ${host.start}`,
      '',
      `Then the API answers ${name === 'serve' ? 'at /api/v1' : 'below /data of your app'}.`,
      host.needs ?? `A first key:\n\n  ${FIRST_KEY}`,
    ].join('\n')}\n`,
  )
  return 0
}

/** Writes the files of a host. None of them may exist. */
function write(name: string, dir: string): string[] {
  const examples = join(
    dirname(fileURLToPath(import.meta.resolve('seine/package.json'))),
    'examples',
    'hosts',
  )
  const isFolder = name === 'next'
  const from = join(examples, isFolder ? name : `${name}.ts`)
  const files = isFolder
    ? readdirSync(from, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1))
    : [FILE]
  const present = files.find((file) => existsSync(join(dir, file)))
  if (present !== undefined)
    throw new CommandError(
      `${join(dir, present)} is there already; choose another folder with --dir`,
    )
  for (const file of files) {
    const target = join(dir, file)
    mkdirSync(dirname(target), { recursive: true })
    const source = isFolder ? join(from, file) : from
    if (file.endsWith('.ts')) writeFileSync(target, withoutMarks(readFileSync(source, 'utf8')))
    else cpSync(source, target)
  }
  return files
}

/** Region marks are only for the documentation. */
function withoutMarks(source: string): string {
  return source
    .split('\n')
    .filter((line) => !/^\s*\/\/#(?:end)?region/.test(line))
    .join('\n')
}

function hostIn(dir: string): string {
  const dependencies = dependenciesIn(dir)
  const detected = Object.entries(HOSTS).find(([, { tell }]) => tell && dependencies[tell])
  if (detected) return detected[0]
  const manager = managerIn(dir)
  return manager === 'deno' || manager === 'bun' ? manager : 'serve'
}

function dependenciesIn(dir: string): Readonly<Record<string, unknown>> {
  const { dependencies, devDependencies } = manifestIn(dir)
  return {
    ...(isObject(devDependencies) && devDependencies),
    ...(isObject(dependencies) && dependencies),
  }
}

/** The package.json of a folder. Empty if there is none. */
function manifestIn(dir: string): Readonly<Record<string, unknown>> {
  const path = join(dir, 'package.json')
  if (!existsSync(path)) return {}
  try {
    const facts: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isObject(facts) ? { ...facts } : {}
  } catch (error) {
    throw new CommandError(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function managerIn(dir: string): string {
  const locked = LOCKS.find(([file]) => existsSync(join(dir, file)))
  if (locked) return locked[1]
  if (existsSync(join(dir, 'deno.json'))) return 'deno'
  // A project that was never installed has no lock file, but may name its manager for Corepack.
  const { packageManager } = manifestIn(dir)
  const named = typeof packageManager === 'string' ? packageManager.split('@')[0] : undefined
  const ours = LOCKS.find(([, manager]) => manager === named)
  if (ours) return ours[1]
  // npm, pnpm, yarn and bun name themselves when they run a command.
  const [agent = ''] = (process.env['npm_config_user_agent'] ?? '').split('/')
  return ['pnpm', 'yarn', 'bun'].includes(agent) ? agent : 'npm'
}

function installing(manager: string, packages: readonly string[]): string {
  if (manager === 'npm') return `npm install ${packages.join(' ')}`
  if (manager === 'deno') return `deno add ${packages.map((name) => `npm:${name}`).join(' ')}`
  return `${manager} add ${packages.join(' ')}`
}
