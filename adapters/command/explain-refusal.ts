import { CommandError, PRIVATE } from './command-error.ts'

const RENDER = '\nTo render pages with a Chromium of this machine: --render'
const MODEL =
  '\nTo name a model: the variables SEINE_MODEL_URL, SEINE_MODEL and SEINE_MODEL_KEY, or seine.config.json'
const ROBOTS = '\nTo visit it anyway, such as on your own site: --ignore-robots'
const HINT = `\n${PRIVATE}`
const PRIVATE_ON_SERVER =
  '\nIts operator can allow private addresses, by the setting allow-private-network'

/**
 * Rewrites the refusal of a recipe or of a page in terms of the flags that caused it. Any other
 * error is returned unchanged.
 */
export function explainRefusal(
  error: unknown,
  {
    flagOf,
    allowPrivateNetwork,
    isOfServer = false,
  }: {
    /** Path in the recipe → flag or address it came from. */
    readonly flagOf: ReadonlyMap<string, string>
    readonly allowPrivateNetwork: boolean
    /** True if a server refuses. Flags of this command cannot change its limits. */
    readonly isOfServer?: boolean
  },
): unknown {
  const hint = (text: string) => {
    if (/robots\.txt of the site forbids/.test(text)) return ROBOTS
    const isPrivate = /public internet|^\S+: Port/.test(text)
    if (isOfServer) return isPrivate ? PRIVATE_ON_SERVER : ''
    if (/needs a browser, and this platform/.test(text)) return RENDER
    if (/needs a model, and this platform/.test(text)) return MODEL
    return !allowPrivateNetwork && isPrivate ? HINT : ''
  }
  const issues = issuesOf(error)
  if (issues.length === 0)
    return error instanceof Error && hint(error.message)
      ? new CommandError(error.message + hint(error.message))
      : error
  const lines = issues.map(({ path, message }) => {
    const recipePath = path.replace(/^recipe\./, '')
    return `${flagFor(recipePath, flagOf) ?? `recipe: ${recipePath}`}: ${message}`
  })
  const text = Array.from(new Set(lines)).join('\n')
  return new CommandError((isOfServer ? 'The server refuses this. ' : '') + text + hint(text), 2)
}

function flagFor(recipePath: string, flagOf: ReadonlyMap<string, string>): string | undefined {
  for (
    let path = recipePath;
    path !== '';
    path = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  ) {
    const flag = flagOf.get(path)
    if (flag) return flag
  }
  return undefined
}

function issuesOf(error: unknown): readonly { readonly path: string; readonly message: string }[] {
  if (!(error instanceof Error) || !('issues' in error) || !Array.isArray(error.issues)) return []
  return error.issues.map((issue: { path?: unknown; message?: unknown }) => ({
    path: String(issue.path),
    message: String(issue.message),
  }))
}
