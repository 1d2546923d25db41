import { isJson } from '../../src/kernel/json.ts'
import type { Json } from '../../src/kernel/json.ts'

/** The data of a job. */
export interface Payload {
  /** The id that the job was pushed with. */
  readonly id: string
  readonly data: Json
  /** Its share; absent: none, or it was pushed by a version that did not share places. */
  readonly share?: string
  /** The time that the push or the handler requested, in Unix milliseconds. */
  readonly at: number
  /**
   * Number of deliveries that no longer count, because the handler has asked for the job again
   * since.
   */
  readonly before: number
  /** Number of deaths of its consumers, as BullMQ counts them, that no longer count. Absent: none. */
  readonly stalledBefore?: number
  /** Number of deaths before the last delivery that failed to give the job up. Absent: none. */
  readonly stalledCounted?: number
  /** The time since which it waits to run alone, in Unix milliseconds. Absent: it does not wait. */
  readonly apartSince?: number
}

/** @throws {TypeError} for data that this queue did not write */
export function payloadFrom(value: unknown): Payload {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('id' in value && 'data' in value && 'at' in value && 'before' in value)
  )
    throw new TypeError('BullMQ returned a job that does not belong to this queue')
  const { id, data, at, before } = value
  const share = 'share' in value && typeof value.share === 'string' ? { share: value.share } : {}
  if (
    typeof id !== 'string' ||
    typeof at !== 'number' ||
    typeof before !== 'number' ||
    !isJson(data)
  )
    throw new TypeError('BullMQ returned a job that does not belong to this queue')
  return {
    id,
    data,
    ...share,
    at,
    before,
    ...numberOf(value, 'stalledBefore'),
    ...numberOf(value, 'stalledCounted'),
    ...numberOf(value, 'apartSince'),
  }
}

/** The data after a delivery that ended or made progress: earlier deaths no longer count. */
export function clearedOf(payload: Payload, stalledCounter: number): Payload {
  const { apartSince: _, stalledCounted: __, ...rest } = payload
  return { ...rest, ...(stalledCounter > 0 && { stalledBefore: stalledCounter }) }
}

function numberOf<Name extends string>(
  value: object,
  name: Name,
): { readonly [name in Name]?: number } {
  const count = new Map<string, unknown>(Object.entries(value)).get(name)
  const fields: { [name in Name]?: number } = {}
  if (typeof count === 'number') fields[name] = count
  return fields
}

/** BullMQ's name of the job with an id. Colons and plain numbers are not allowed in it. */
export function jobId(id: string): string {
  return `j-${encodeURIComponent(id)}`
}

/** BullMQ's name of the reminder for a job that was pushed while it ran. */
export function reminderId(id: string): string {
  return `r-${encodeURIComponent(id)}`
}

/** True if a job of BullMQ is a reminder. */
export function isReminder(name: string): boolean {
  return name.startsWith('r-')
}
