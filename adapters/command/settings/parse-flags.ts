import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'
import { namesInstead } from '../../../src/kernel/names.ts'
import { commandName } from '../command-name.ts'
import { wrongUse } from '../command-error.ts'
import { isOnData, notOnServer } from './on-data.ts'

/**
 * Reads the words after a command, as `parseArgs` does. Its errors use the terms of the command
 * line.
 *
 * @throws {CommandError}
 */
export function parseFlags<const Config extends ParseArgsConfig>(
  command: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    const problem = problemOf(command, String(error.code), error.message, config)
    throw problem === null ? error : wrongUse(`${problem}\nTry ${commandName()} ${command} --help`)
  }
}

function problemOf(
  command: string,
  code: string,
  message: string,
  { options = {}, allowNegative = false }: ParseArgsConfig,
): string | null {
  const [, quoted = ''] = /'([^']*)'/.exec(message) ?? []
  const [, flag = quoted] = /(?<!\S)(--?[^\s<=]+)(?:[ =]<value>)?$/.exec(quoted) ?? []
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return `seine ${command} takes no ${quoted}`
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    if (message.includes('ambiguous'))
      return `${flag} needs a value; one that begins with - is written ${flag}=-…`
    return message.includes('missing') ? `${flag} needs a value` : `${flag} takes no value`
  }
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return null
  const names = Object.keys(options)
  if (isOnData(command) && (flag === '--url' || flag === '--key')) return notOnServer(command)
  const isNegative = allowNegative && flag.startsWith('--no-')
  const name = flag.replace(isNegative ? /^--no-/ : /^-+/, '')
  const asTyped = (word: string): string => {
    const isOff = isNegative && (options[word]?.type === 'boolean' || names.includes(`no-${word}`))
    return isOff ? `--no-${word}` : `--${word}`
  }
  const instead = namesInstead(name, names).replaceAll(/[a-z][a-z-]*/g, (word) =>
    names.includes(word) ? asTyped(word) : word,
  )
  return `seine ${command} has no flag ${flag}${instead}`
}
