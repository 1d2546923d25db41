import { wrongUse } from './command-error.ts'

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** `45m`, `12h`, `30d`, `2w` in milliseconds. */
export function parseDuration(flag: string, text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  const ms = Number(count) * (UNITS[unit] ?? 0)
  if (ms <= 0) throw wrongUse(`${flag} must be a time such as 45m, 12h, 30d or 2w, not "${text}"`)
  return ms
}
