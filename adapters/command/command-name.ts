/** Variables that npm sets for its child processes. */
type NpmVariables = Readonly<Record<string, string | undefined>>

const NAMES_OF_NPX = new Set(['seine', "'seine'", '"seine"'])

/**
 * The command as it was called, for lines that a person types next: by npm's script of this
 * checkout, by npx, or by its own name. If npx runs another program that runs the command, the
 * variables name that program. Some versions of npm quote the name.
 */
export function commandName(env: NpmVariables = process.env): string {
  if (env['npm_lifecycle_event'] === 'seine') return 'npm run -s seine --'
  const script = env['npm_lifecycle_script'] ?? ''
  const isRun = env['npm_command'] === 'exec' && NAMES_OF_NPX.has(script)
  return isRun ? 'npx seine' : 'seine'
}
