import { isStructure } from '../kernel/json.ts'
import { checkOptions, oneOf, withMethods } from '../kernel/options.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import { CONSOLE, LEVELS } from './console-logger.ts'
import type { LogLevel } from './console-logger.ts'

/** Options of {@link createJsonLogger}. */
export interface JsonLoggerOptions {
  /** The least important messages to write. Default `info`. */
  readonly level?: LogLevel
  /** Receives the lines. Default: the runtime's console. */
  readonly console?: Pick<Console, 'debug' | 'info' | 'warn' | 'error'>
  /** Gives the times. Default: the system clock. */
  readonly clock?: Pick<Clock, 'now'>
}

/** Maximum depth of fields, and maximum number of characters of a text. */
const DEEPEST = 8
const LONGEST = 20_000

/**
 * Logs one JSON object a line, for programs that collect logs: `time` (RFC 3339, UTC), `level`,
 * `message`, then the fields. An error is an object with its name, message, stack and cause.
 *
 * @example
 *   // {"time":"2026-11-23T08:00:00.000Z","level":"info","message":"Ready","port":3000}
 *   createJsonLogger().info('Ready', { port: 3000 })
 *
 * @throws {TypeError} for wrong options
 */
export function createJsonLogger(options: JsonLoggerOptions = {}): Logger {
  checkOptions<JsonLoggerOptions>('createJsonLogger', options, {
    level: oneOf(...LEVELS),
    console: CONSOLE,
    clock: withMethods('a clock', 'now'),
  })
  const { console: target = globalThis.console, clock = Date } = options
  const least = LEVELS.indexOf(options.level ?? 'info')
  const logAt = (level: 'debug' | 'info' | 'warn' | 'error'): Logger['info'] =>
    LEVELS.indexOf(level) < least
      ? () => undefined
      : (message, fields = {}) => {
          const time = new Date(clock.now()).toISOString()
          target[level](lineOf({ ...fields, time, level, message }))
        }
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
}

/** A logger must not throw, even if a field cannot be written. */
function lineOf({ time, level, message, ...fields }: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify({ time, level, message, ...plainOf(fields) })
  } catch {
    return JSON.stringify({ time, level, message, unprintable: Object.keys(fields) })
  }
}

function plainOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value, 0)]))
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string')
    return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value
  if (!isStructure(value)) return value
  if (depth >= DEEPEST) return '…'
  if (value instanceof Error) {
    const { name, message, stack, cause } = value
    return plain({ name, message, stack, ...(cause !== undefined && { cause }) }, depth)
  }
  if ('toJSON' in value) return value
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, plain(item, depth + 1)]),
  )
}
