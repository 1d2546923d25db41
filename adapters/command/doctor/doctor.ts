import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createConsoleLogger } from 'seine'
import type { Platform, PlatformOptions } from 'seine'
import { isServerMeant } from '../api/upkeep.ts'
import { askServer } from '../ask-server.ts'
import { commandName } from '../command-name.ts'
import { wrongUse } from '../command-error.ts'
import { DEFAULT_DATA, IN_MEMORY, OWNER, storeFile } from '../data-directory.ts'
import type { Finding } from './doctor-server.ts'
import { explainRefusal } from '../explain-refusal.ts'
import { DOCTOR_HELP } from '../help.ts'
import { checkServices, openServices } from '../open-services.ts'
import { checkBrowser, createOrExplain, platformOptions, proxiesOf } from '../platform-options.ts'
import { usingSettings } from '../settings/in-terms-of.ts'
import { readFlags, readSettings } from '../settings/read-settings.ts'
import type { Flags } from '../settings/read-settings.ts'
import type { Settings } from '../settings/table.ts'

const GIB = 1024 ** 3
const SILENT = createConsoleLogger({ level: 'silent' })

/** `seine doctor`: checks of this machine, of the settings and of the services that they name. */
export async function doctor(args: string[]): Promise<number> {
  const flags = readFlags('doctor', args, { url: { type: 'string' }, json: { type: 'boolean' } })
  if (flags.help) return (void process.stdout.write(DOCTOR_HELP), 0)
  const asJson = flags.own['json'] === true
  const server = typeof flags.own['url'] === 'string' ? flags.own['url'] : undefined
  const url = pageOf(flags.words)
  const findings: Finding[] = [
    { check: 'node', state: 'ok', says: `${process.versions.node}, ${process.platform}` },
  ]
  if (await asksServer(server, url, flags)) {
    if (url !== undefined)
      throw wrongUse('With --url only the server is checked: leave out the page')
    const textOfFlag = (name: 'key' | 'data' | 'store' | 'blobs'): string | undefined => {
      const flag = flags.values[name]
      return typeof flag === 'string' ? flag : undefined
    }
    const named = {
      url: server,
      key: textOfFlag('key'),
      data: textOfFlag('data'),
      store: textOfFlag('store'),
      blobs: textOfFlag('blobs'),
    }
    const { findingsOfServer } = await import('./doctor-server.ts')
    findings.push(...(await findingsOfServer(named, process.env)))
    return report(findings, asJson)
  }
  try {
    const read = await readSettings(flags, process.env)
    findings.push(
      ok('settings', `${read.sources.length} set (${commandName()} config check lists them)`),
    )
    findings.push(...(await usingSettings(read, (settings) => checksOf(settings, url))))
  } catch (error) {
    findings.push(wrong('settings', error))
  }
  return report(findings, asJson)
}

/** A page is fetched from this machine, even if SEINE_URL is set. */
async function asksServer(
  server: string | undefined,
  page: string | undefined,
  flags: Flags,
): Promise<boolean> {
  if (server !== undefined) return true
  // Wrong settings belong to this machine, whose checks explain them.
  return page === undefined && isServerMeant(undefined, flags, process.env).catch(() => false)
}

/** The page to fetch, if one is named. */
function pageOf([page, more]: readonly string[]): string | undefined {
  if (more !== undefined) throw wrongUse(`seine doctor fetches one page: leave out ${more}`)
  if (page !== undefined && !/^https?:\/\//i.test(page))
    throw wrongUse(
      `seine doctor takes the address of a page, such as https://example.com/, not "${page}"`,
    )
  return page
}

function report(findings: readonly Finding[], asJson: boolean): number {
  process.stdout.write(
    asJson ? findings.map((finding) => `${JSON.stringify(finding)}\n`).join('') : textOf(findings),
  )
  return findings.some(({ state }) => state === 'wrong') ? 1 : 0
}

/** One full line for each check, because a table would cut off the remedy. */
function textOf(findings: readonly Finding[]): string {
  const widest = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .map(({ check, state, says }) => `${check.padEnd(widest)}  ${state.padEnd(5)}  ${says}\n`)
    .join('')
}

async function checksOf(settings: Settings, url: string | undefined): Promise<Finding[]> {
  proxiesOf(settings)
  checkServices(settings)
  checkBrowser(settings)
  const options = await platformOptions(settings)
  try {
    return [
      ...(await diskOf(settings)),
      ...(await servicesOf(settings)),
      await browserOf(options),
      ...(url === undefined
        ? []
        : [await fetched(createOrExplain({ ...options, logger: SILENT }), url)]),
    ]
  } finally {
    await options.browser?.close()
  }
}

async function browserOf({ browser }: Pick<PlatformOptions, 'browser'>): Promise<Finding> {
  if (!browser)
    return note('browser', 'none: pages that scripts write are not rendered; see --browser')
  const { browserFinding } = await import('./doctor-browser.ts')
  return browserFinding(browser)
}

/** The disks of this machine that hold data. */
async function diskOf({ data, store, blobs }: Settings): Promise<Finding[]> {
  if (data === IN_MEMORY) return [note('disk', 'data is in memory and lost at the end')]
  if (store !== undefined && blobs !== undefined) return []
  const folder = resolve(data ?? DEFAULT_DATA)
  let nearest = folder
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  try {
    await access(nearest, constants.W_OK)
    const { bavail, bsize } = await statfs(nearest)
    const free = bavail * bsize
    const says = `${folder}, ${(free / GIB).toFixed(1)} GiB free`
    return [free < GIB ? note('disk', `${says}: a full disk stops all runs`) : ok('disk', says)]
  } catch (error) {
    return [wrong('disk', error)]
  }
}

async function servicesOf(settings: Settings): Promise<Finding[]> {
  const folder = settings.data ?? DEFAULT_DATA
  // Opening would make an empty store.
  const isFresh =
    settings.store === undefined && folder !== IN_MEMORY && !existsSync(storeFile(folder))
  const hasBucket = settings.blobs?.startsWith('s3:') === true
  const servers = await serversOf(settings)
  const others = servers.filter(({ check }) => check !== 'store')
  const fresh = note('store', `none yet in ${folder}: ${commandName()} serve makes it`)
  // A client would retry again and again.
  if (servers.some(({ state }) => state === 'wrong')) return isFresh ? [fresh, ...others] : servers
  try {
    const services = await openServices(
      isFresh ? { ...settings, store: 'memory', ...(!hasBucket && { blobs: 'memory' }) } : settings,
      process.env,
    )
    const platform = createOrExplain({ ...services.options, logger: SILENT })
    try {
      const { store, blobs } = await platform.health()
      const answers = store.ok
        ? ok('store', `answers in ${store.ms} ms`)
        : wrong('store', store.error)
      const files = blobs.ok ? ok('blobs', `answer in ${blobs.ms} ms`) : wrong('blobs', blobs.error)
      if (isFresh) return [fresh, ...(hasBucket ? [files] : []), ...others]
      return [answers, files, ...others, ...(store.ok ? [await keysOf(platform, settings)] : [])]
    } finally {
      await platform.close()
      await services.close()
    }
  } catch (error) {
    return [wrong('services', error)]
  }
}

/** The servers of Postgres and Redis that the settings name. */
async function serversOf({ store, queue, limiter }: Settings): Promise<Finding[]> {
  const servers = Object.entries({ store, queue, limiter }).filter(
    (entry): entry is [string, string] => /^(?:postgres|redis)/.test(entry[1] ?? ''),
  )
  return Promise.all(
    servers.map(async ([check, url]) => {
      const began = performance.now()
      try {
        await askServer(url)
        return ok(check, `answers in ${Math.round(performance.now() - began)} ms`)
      } catch (error) {
        return wrong(check, error)
      }
    }),
  )
}

async function keysOf(platform: Platform, { key, jwtIssuer }: Settings): Promise<Finding> {
  const { items } = await platform.api.keys.list(OWNER)
  return items.length > 0 || key !== undefined || jwtIssuer !== undefined
    ? ok('keys', `${items.length} of account ${OWNER.account}`)
    : note(
        'keys',
        `none yet: ${commandName()} serve makes a first one, ${commandName()} keys create others`,
      )
}

/** Fetches a page as an execution would; nothing is stored. */
async function fetched(platform: Platform, url: string): Promise<Finding> {
  try {
    const { pages, proposal } = await platform.api.previews.run(OWNER, {
      recipe: { start: { urls: [url] }, extract: 'auto' },
      scope: 'recipe',
    })
    const [page] = pages
    if (page?.outcome !== 'fetched')
      return wrong('page', page?.reason?.message ?? `the outcome is ${page?.outcome ?? 'none'}`)
    const reason = proposal ? `; ${proposal.reason}` : ''
    return ok(
      'page',
      `${page.httpStatus ?? ''}, ${page.bytes} bytes in ${page.durationMs} ms${reason}`,
    )
  } catch (error) {
    // The page is the only part of the recipe that a person has typed.
    const shown = explainRefusal(error, {
      flagOf: new Map([['start.urls.0', url]]),
      allowPrivateNetwork: false,
    })
    return wrong('page', shown)
  } finally {
    await platform.close()
  }
}

const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says })
const note = (check: string, says: string): Finding => ({ check, state: 'note', says })

function wrong(check: string, error: unknown): Finding {
  // If a name has several addresses, its error contains all their errors and has no message.
  const code = error instanceof AggregateError && 'code' in error ? error.code : null
  const says = error instanceof Error ? error.message || String(code ?? error.name) : String(error)
  return { check, state: 'wrong', says }
}
