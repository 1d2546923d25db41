import type { Json } from '../../kernel/json.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'

/** Why nothing is proposed: a code for programs and a text for people. */
export interface RelocationReason {
  readonly code: string
  readonly message: string
}

/** A value that the earlier source gave for a page, and that of the proposed one. */
export interface RelocationSample {
  readonly url: string
  readonly before: Json
  readonly after: Json
}

/** The result for one drifted column. */
export interface FieldRelocation {
  readonly field: string
  /** The field of the recipe that matches less than before. */
  readonly source: Json
  /** The field that finds its values again. `null`: no field was found, and `reason` says why. */
  readonly proposal: Json
  readonly reason: RelocationReason | null
  /** Kept pages with values of earlier runs on which the proposal was tried. */
  readonly pages: number
  /** Number of these pages on which the proposal gave those values. */
  readonly hits: number
  /** `hits` as a share of `pages`, 0–1. */
  readonly confidence: number
  readonly samples: readonly RelocationSample[]
}

/** Proposed sources for drifted columns. Stored with the execution that drifted. */
export interface RelocationRecord {
  readonly status: 'proposed' | 'none' | 'repaired'
  /** Why nothing is proposed. */
  readonly reason: RelocationReason | null
  /** The selector of items, if it has to change too. */
  readonly items: { readonly source: string; readonly proposal: string } | null
  readonly fields: readonly FieldRelocation[]
  /** Unix milliseconds. */
  readonly at: number
  /** When the proposal was put into the task's recipe. Absent: it was not. */
  readonly repairedAt?: number
}

/** A relocation on the wire. */
export interface Relocation extends Omit<RelocationRecord, 'at' | 'repairedAt'> {
  readonly at: string
  /** `null`: it was not put into the recipe. */
  readonly repairedAt: string | null
}

/** Converts a relocation from its record to the wire. */
export function relocationOf(record: RelocationRecord | undefined): Relocation | null {
  return record === undefined
    ? null
    : { ...record, at: isoTime(record.at), repairedAt: isoTimeOrNull(record.repairedAt ?? null) }
}
