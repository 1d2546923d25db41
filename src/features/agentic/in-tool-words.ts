import { PlatformError, badRequest } from '../../kernel/errors.ts'

/** How what other services say is told to an agent. */
export interface ToolWords {
  /**
   * Where a place of theirs begins → the tool's argument that it comes from. The first that fits
   * counts.
   */
  readonly places?: readonly (readonly [theirs: string, argument: string])[]
  /** Said where something is not found: what, and where its id comes from. */
  readonly absent?: string
}

/** Passes on what a service answers; where it refuses, the refusal names the arguments of the tool. */
export async function inToolWords<T>(
  asked: Promise<T>,
  { places = [], absent }: ToolWords,
): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (error.code === 'NOT_FOUND' && absent !== undefined)
      throw new PlatformError('NOT_FOUND', absent)
    if (error.code === 'BAD_REQUEST' && error.issues.length > 0)
      throw badRequest(
        error.issues.map(({ path, message }) => ({ path: argumentOf(path, places), message })),
      )
    throw error
  }
}

function argumentOf(path: string, places: readonly (readonly [string, string])[]): string {
  const place = places.find(([theirs]) => path === theirs || path.startsWith(`${theirs}.`))
  if (!place) return path
  const [theirs, argument] = place
  const rest = path.slice(theirs.length)
  return argument === '' ? `arguments${rest}` : `arguments.${argument}${rest}`
}
