import type { Console, ConsoleOptions } from './options.ts'

/**
 * Stands in for the console in a bundle, which contains the console only if somebody imported it.
 *
 * @throws {TypeError} always; it says what to import
 */
export function createConsole(_options?: ConsoleOptions): Console {
  throw new TypeError(
    'On this runtime, give createPlatform { console: createConsole() }, with createConsole of ' +
      'seine/console',
  )
}
