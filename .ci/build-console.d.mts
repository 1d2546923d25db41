/** The console's files as its build makes them, packed by `pack`; without it by zlib. */
export function bundleConsole(
  root: string,
  pack?: (bytes: Buffer) => Promise<Buffer>,
): Promise<{
  readonly files: readonly { readonly name: string; readonly type: string; readonly gzip: string }[]
  readonly boot: string
  readonly script: string
  readonly style: string
  readonly preloads: readonly string[]
}>

/** Packs bytes as those of the package are. */
export function packSmall(root: string, bytes: Buffer): Promise<Buffer>

/** The page of the MCP App, packed by gzip, in base64. */
export function bundleMcpApp(root: string): Promise<{ readonly gzip: string }>

/** Writes modules with the console's files below `dist`. Returns the packages that are in them. */
export function buildConsole(root: string, dist: string): Promise<ReadonlySet<string>>
