/**
 * The console: what people open in a browser.
 *
 * @module
 */
export { createConsole } from './console/console.ts'
export type { Console, ConsoleOptions, ConsolePath } from './console/options.ts'
export { createSignInCodes } from './console/sign-in-codes.ts'
export type { SignInCodes, SignInCodesOptions } from './console/sign-in-codes.ts'
