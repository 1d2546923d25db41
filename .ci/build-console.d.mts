/** The console's files as its build makes them. */
export function bundleConsole(root: string): Promise<{
  readonly files: readonly { readonly name: string; readonly type: string; readonly gzip: string }[]
  readonly boot: string
  readonly script: string
  readonly style: string
  readonly preloads: readonly string[]
}>

/** Writes modules with the console's files below `dist`. */
export function buildConsole(root: string, dist: string): Promise<void>
