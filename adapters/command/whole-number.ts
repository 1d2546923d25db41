import { wrongUse } from './command-error.ts'

/** The whole number of a flag, within bounds; `undefined` if the flag was not given. */
export function wholeNumber(
  flag: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max))
    throw wrongUse(`${flag} must be a whole number from ${min} to ${max}, not "${text}"`)
  return value
}
