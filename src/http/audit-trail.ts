import { StoreFailure } from '../kernel/failures.ts'
import type { Core } from '../features/core.ts'
import type { AuditRecord } from '../features/audit/records.ts'
import { PlatformError, statusOf } from '../kernel/errors.ts'
import type { EffectWrite } from '../kernel/preconditions.ts'
import { DAY_MS } from '../kernel/time.ts'
import { Change } from '../records/change.ts'

/** The caller of a write, and its address. */
export type AuditFacts = Pick<
  AuditRecord,
  'operation' | 'subject' | 'user' | 'key' | 'ip' | 'requestId'
> & {
  readonly account: string
  /** Status of the answer if the write succeeds. */
  readonly status: number
}

/** Records each write with its caller. */
export interface AuditTrail {
  begin(facts: AuditFacts): AuditEntry
}

/** The parts of the core that a trail needs. */
type TrailCore = Pick<Core, 'records' | 'clock' | 'ids' | 'logger'>

/** Creates the trail of a platform. It keeps each entry for a number of days. */
export function createAuditTrail(core: TrailCore, retentionDays: number): AuditTrail {
  return { begin: (facts) => new AuditEntry(core, facts, retentionDays * DAY_MS) }
}

/**
 * The entry of one write. If the service commits with its preconditions, the entry is part of that
 * commit. Otherwise, and for a refusal, it is written right after.
 */
export class AuditEntry {
  readonly #core: TrailCore
  readonly #facts: AuditFacts
  readonly #keptMs: number
  readonly #id: string
  readonly #began: number
  #isWritten = false

  constructor(core: TrailCore, facts: AuditFacts, keptMs: number) {
    this.#core = core
    this.#facts = facts
    this.#keptMs = keptMs
    this.#id = core.ids('aud')
    this.#began = core.clock.now()
  }

  /** Adds the entry to the commit of the effect. `data`: the answer. */
  addTo(write: EffectWrite, data: object): void {
    this.#set(write, {
      subject: subjectOf(data) ?? this.#facts.subject,
      status: this.#facts.status,
      code: null,
    })
  }

  /** Call this when the commit of the last {@link addTo} is written. */
  written(): void {
    this.#isWritten = true
  }

  /** Writes the entry of a write that was done, if no commit has it yet. */
  async done(data: object): Promise<void> {
    await this.#write(subjectOf(data) ?? this.#facts.subject, this.#facts.status, null)
  }

  /** Writes the entry of a write that was refused or failed, if no commit has it yet. */
  async failed(error: unknown): Promise<void> {
    const code = error instanceof PlatformError ? error.code : 'INTERNAL_SERVER_ERROR'
    await this.#write(this.#facts.subject, statusOf(code), code)
  }

  /**
   * The outcome of the write is already decided, so a failure of the store is logged and not
   * thrown.
   */
  async #write(subject: string | null, status: number, code: AuditRecord['code']): Promise<void> {
    if (this.#isWritten) return
    const { records, logger } = this.#core
    const { account, operation, requestId } = this.#facts
    try {
      const change = new Change()
      // If the answer to the commit of the effect was lost, the entry may exist already.
      records.audits.requireAbsent(change, account, this.#id)
      this.#set(change, { subject, status, code })
      await records.commit(change)
    } catch (error) {
      // If the store does not work, the write fails too, and the caller gets that error.
      const level = error instanceof StoreFailure ? 'warn' : 'error'
      logger[level]('An entry of the audit log could not be written', {
        requestId,
        operation,
        error,
      })
    }
  }

  #set(write: EffectWrite, outcome: Pick<AuditRecord, 'subject' | 'status' | 'code'>): void {
    const { account, operation, user, key, ip, requestId } = this.#facts
    const [id, time] = [this.#id, this.#began]
    const record: AuditRecord = { id, at: time, operation, user, key, ip, requestId, ...outcome }
    write.set(this.#core.records.audits.key(account, [id]), record, time + this.#keptMs)
  }
}

/** The id of the record that a write has created. */
function subjectOf(data: object): string | null {
  return 'id' in data && typeof data.id === 'string' ? data.id : null
}
