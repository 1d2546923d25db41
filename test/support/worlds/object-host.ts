import { DatabaseSync } from 'node:sqlite'
import type {
  ObjectNamespace,
  ObjectState,
  ObjectStorage,
} from '../../../adapters/cloudflare/index.ts'

/** A Durable Object by its shape. */
interface HostedObject {
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
}

/** Durable Objects in this process, as a test sees them; test/runtimes uses workerd itself. */
export interface ObjectHost {
  readonly namespace: ObjectNamespace
  /** The names of the objects of all requests, in order. */
  readonly asked: string[]
  /** The storage of an object: its rows and its alarm. */
  stored(name: string): { readonly rows: number; readonly alarm: number | null }
  /** Rows that an object has written since it was last empty, which is what Cloudflare counts. */
  written(name: string): number
  /** Runs SQL in the storage of an object. */
  run(name: string, sql: string): void
  /** Evicts all objects from memory, as happens after some seconds without a request. */
  evict(): void
  /** Runs the alarms that are due. */
  ring(now: number): Promise<void>
}

/** Runs Durable Objects that `make` makes, on SQLite in memory. */
export function createObjectHost(make: (state: ObjectState) => HostedObject): ObjectHost {
  const storages = new Map<string, FakeStorage>()
  const objects = new Map<string, HostedObject>()
  const requests: string[] = []
  const storageOf = (name: string): FakeStorage => {
    const storage = storages.get(name) ?? new FakeStorage()
    storages.set(name, storage)
    return storage
  }
  const objectOf = (name: string): HostedObject => {
    const object = objects.get(name) ?? make({ storage: storageOf(name), waitUntil: () => {} })
    objects.set(name, object)
    return object
  }
  return {
    namespace: {
      getByName: (name) => ({
        fetch(request) {
          requests.push(name)
          return objectOf(name).fetch(request)
        },
      }),
    },
    asked: requests,
    stored: (name) => storageOf(name).facts(),
    written: (name) => storageOf(name).written(),
    run: (name, sql) => void storageOf(name).sql.exec(sql),
    evict: () => objects.clear(),
    async ring(now) {
      for (const [name, storage] of storages) if (storage.silence(now)) await objectOf(name).alarm()
    },
  }
}

/** The storage of an object alone. */
export function createObjectStorage(): ObjectStorage {
  return new FakeStorage()
}

class FakeStorage implements ObjectStorage {
  #database = new DatabaseSync(':memory:')
  #alarm: number | null = null

  readonly sql: ObjectStorage['sql'] = {
    exec: (query, ...values) => {
      const statement = this.#database.prepare(query)
      const rows = statement.all(...values)
      const changes = Number(this.#database.prepare('SELECT changes() AS n').get()?.['n'])
      return { toArray: () => rows, rowsWritten: changes }
    },
  }

  transactionSync<T>(work: () => T): T {
    return work()
  }

  async getAlarm(): Promise<number | null> {
    return this.#alarm
  }

  async setAlarm(time: number): Promise<void> {
    this.#alarm = time
  }

  async deleteAll(): Promise<void> {
    this.#database = new DatabaseSync(':memory:')
    this.#alarm = null
  }

  /** Whether the alarm was due; an object that is being alarmed has none. */
  silence(now: number): boolean {
    const isDue = this.#alarm !== null && this.#alarm <= now
    if (isDue) this.#alarm = null
    return isDue
  }

  written(): number {
    return Number(this.#database.prepare('SELECT total_changes() AS n').get()?.['n'])
  }

  facts(): { readonly rows: number; readonly alarm: number | null } {
    const tables = this.#database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
    const rows = tables.reduce(
      (sum, { name }) =>
        sum +
        Number(this.#database.prepare(`SELECT count(*) AS n FROM "${String(name)}"`).get()?.['n']),
      0,
    )
    return { rows, alarm: this.#alarm }
  }
}
