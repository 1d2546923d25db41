import type { Console, ConsoleOptions } from './options.ts'

/**
 * Replaces the console in a bundle, which contains the console only if it was imported.
 *
 * @throws {TypeError} always; it says what to import
 */
export function createConsole(_options?: ConsoleOptions): Console {
  throw new TypeError(
    'On this runtime, give createPlatform { console: createConsole() }, with createConsole of ' +
      'seine/console',
  )
}
