import { writeBackup } from 'seine/backup'
import { commandName } from '../command-name.ts'
import { wrongUse } from '../command-error.ts'
import { amountOf } from '../display-text.ts'
import { BACKUP_HELP } from '../help.ts'
import { DATA_FLAGS, openServices } from '../open-services.ts'
import type { OpenServices } from '../open-services.ts'
import { assertThere, dataSettings } from './data-settings.ts'
import { openTarget, removePart } from './target.ts'
import { parseFlags } from '../settings/parse-flags.ts'

/** Maximum number of missing blobs that are named. */
const MOST_SHOWN = 10

/** `seine backup`: copies a deployment, or an account of it. Exit code 1 if a blob is missing. */
export async function backup(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('backup', {
    args,
    allowPositionals: true,
    options: {
      account: { type: 'string' },
      json: { type: 'boolean', default: false },
      ...DATA_FLAGS,
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return (void process.stdout.write(BACKUP_HELP), 0)
  const target = onlyOne(
    'backup',
    'where the backup goes: a folder, or a file ending in .tar',
    positionals,
  )
  const settings = await dataSettings('backup', values)
  assertThere(settings)
  const services = await openServices(settings, process.env)
  try {
    const to = await openTarget(target, process.env)
    let isWhole = false
    try {
      const report = await writeBackup({
        ...deploymentOf(services),
        to,
        ...(values.account !== undefined && { account: values.account }),
      })
      await to.close()
      isWhole = true
      process.stdout.write(
        values.json
          ? `${JSON.stringify(report)}\n`
          : `${contentOf(report)} (${amountOf(report.bytes, 'byte')}) are in ${target}\n`,
      )
      if (report.missing.length === 0) return 0
      const named = report.missing.slice(0, MOST_SHOWN).join(', ')
      const are = report.missing.length === 1 ? 'is' : 'are'
      process.stderr.write(
        `seine: ${amountOf(report.missing.length, 'blob')} that records name ${are} not there: ${named}\n` +
          `The rest is in the backup; ${commandName()} verify says whose they are\n`,
      )
      return 1
    } finally {
      await to.close()
      if (!isWhole) removePart(target)
    }
  } finally {
    await closeAll(services)
  }
}

/** The size of a backup or an erasure: `107 records and 1 blob`. */
export function contentOf({
  records,
  blobs,
}: {
  readonly records: number
  readonly blobs: number
}): string {
  return `${amountOf(records, 'record')} and ${amountOf(blobs, 'blob')}`
}

/** Returns the word of a command that takes exactly one. */
export function onlyOne(command: string, what: string, words: readonly string[]): string {
  const [word, ...more] = words
  if (word === undefined) throw wrongUse(`seine ${command} needs ${what}`)
  if (more.length > 0) throw wrongUse(`seine ${command} takes one, not also ${more.join(' ')}`)
  return word
}

/** @throws {CommandError} for a deployment in memory */
export function deploymentOf({ options: { store, blobs } }: OpenServices) {
  if (!store || !blobs)
    throw wrongUse('Nothing is kept in memory; name a directory by --data, or --store and --blobs')
  return { store, blobs }
}

/** Closes the services that were opened for the settings. */
export async function closeAll({ options, close }: OpenServices): Promise<void> {
  await Promise.all([options.store?.close(), options.blobs?.close()])
  await close()
}
