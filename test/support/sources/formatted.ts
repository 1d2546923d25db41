import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'oxfmt'
import { root } from './sources.ts'

const OPTIONS: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(join(root, '.oxfmtrc.json'), 'utf8'),
)

/** A text that a test has made, as the formatter leaves it with this project's options. */
export async function formatted(name: string, text: string): Promise<string> {
  const { code, errors } = await format(name, text, OPTIONS)
  if (errors.length > 0) throw new Error(`${name} cannot be formatted: ${errors[0]?.message}`)
  return code
}
