import type { Logger } from '../../src/ports/logger.ts'

/** Warnings and errors on stderr, a line each, so that stdout stays for results. */
export const consoleLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message, fields) => write('warning', message, fields),
  error: (message, fields) => write('error', message, fields),
}

function write(
  level: string,
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  const facts = Object.entries(fields).map(
    ([name, value]) =>
      ` ${name}=${value instanceof Error ? (value.stack ?? value.message) : JSON.stringify(value)}`,
  )
  process.stderr.write(`${level}: ${message}${facts.join('')}\n`)
}
