import { isStructure } from '../kernel/json.ts'
import { checkOptions, oneOf, withMethods } from '../kernel/options.ts'
import type { Logger } from '../ports/logger.ts'

/** From the most talkative to none. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Options of {@link createConsoleLogger}. */
export interface ConsoleLoggerOptions {
  /** The least important messages to show. Default `info`. */
  readonly level?: LogLevel
  /** Receives the lines. Default: the runtime's console. */
  readonly console?: Pick<Console, 'debug' | 'info' | 'warn' | 'error'>
}

/** All levels, from the most talkative to none. */
export const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

/** Receives lines. */
export const CONSOLE = withMethods('a console', 'debug', 'info', 'warn', 'error')

/**
 * Logs short lines for people: level, message, then fields as `name=value`.
 *
 * @example
 *   createConsoleLogger({ level: 'warn' }).warn('The store is slow', { ms: 1200 }) // warn The store is slow ms=1200
 *
 * @throws {TypeError} for wrong options
 */
export function createConsoleLogger(options: ConsoleLoggerOptions = {}): Logger {
  checkOptions<ConsoleLoggerOptions>('createConsoleLogger', options, {
    level: oneOf(...LEVELS),
    console: CONSOLE,
  })
  const target = options.console ?? globalThis.console
  const least = LEVELS.indexOf(options.level ?? 'info')
  const logAt = (level: 'debug' | 'info' | 'warn' | 'error'): Logger['info'] =>
    LEVELS.indexOf(level) < least
      ? () => undefined
      : (message, fields) => target[level](`${level} ${oneLine(message)}${fieldsOf(fields)}`)
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
}

function fieldsOf(fields: Readonly<Record<string, unknown>> = {}): string {
  return Object.entries(fields)
    .map(([name, value]) => ` ${name}=${valueOf(value)}`)
    .join('')
}

function valueOf(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message)
  if (typeof value === 'string') return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value)
  if (isStructure(value)) return json(value)
  return String(value)
}

/** A logger must not throw, even if a field cannot be written. */
function json(value: object): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '[unprintable]'
  }
}

/** Untrusted text must not add lines or control a terminal. */
function oneLine(message: string): string {
  return message.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
}
