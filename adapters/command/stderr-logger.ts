import { createConsoleLogger, createJsonLogger } from 'seine'
import type { Logger } from 'seine'

/**
 * Logs to stderr, so that stdout stays free for results. Text is for people, who want to see only
 * warnings and errors. JSON is for programs that collect logs.
 */
export function stderrLogger({
  format = 'text',
  level,
}: {
  readonly format?: 'text' | 'json' | undefined
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | undefined
} = {}): Logger {
  const write = (line: unknown): void => void process.stderr.write(`${String(line)}\n`)
  const target = { debug: write, info: write, warn: write, error: write }
  return format === 'json'
    ? createJsonLogger({ level: level ?? 'info', console: target })
    : createConsoleLogger({ level: level ?? 'warn', console: target })
}
