import { isFinal } from '../../../src/features/executions/lifecycle.ts'
import { mediaBlob } from '../../../src/features/media/records.ts'
import { createRecords } from '../../../src/features/records.ts'
import { EXHIBITS, GALLERY_RECIPE } from '../gallery.ts'
import type { Luck } from '../luck.ts'
import type { World } from '../world.ts'
import { Client, madeBy } from './client.ts'
import type { Person } from './client.ts'

const ALL = 100_000

const OPERATIONS = { run: 4, read: 4, deleteItem: 1, deleteOfRun: 1, deleteRun: 0.5 } as const

const TRUTH = new Map(EXHIBITS.flat().map((exhibit) => [exhibit.sha256, exhibit]))

/** One whose runs store files, which it reads and deletes. */
export class Collector implements Person {
  readonly account = 'collector'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client
  readonly #runs: string[] = []
  /** True once it has deleted files: rows may name some that are gone. */
  #hasDeleted = false

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
  }

  async live(): Promise<void> {
    const { timeline, stretch } = this.#world
    for (;;) {
      await timeline.sleep(this.#luck.int(1_000, 90_000) * stretch)
      if (this.#world.isCalm) return
      await this.#do(this.#luck.weighed(OPERATIONS))
    }
  }

  async check(): Promise<void> {
    await this.#checkFiles()
    await this.#checkRows()
    const records = createRecords(this.#world.store)
    const items = await records.media.list(this.account, { limit: ALL })
    const owned = new Set(items.map(({ value }) => mediaBlob(value)))
    const blobs = new Set(await this.#world.blobs.list('media/'))
    for (const name of owned) if (!blobs.has(name)) this.#world.broke('a file has no bytes')
    for (const name of blobs)
      if (!owned.has(name)) this.#world.broke('bytes of a file without an owner are left')
  }

  async #do(operation: keyof typeof OPERATIONS): Promise<void> {
    const run = this.#luck.any(this.#runs)
    switch (operation) {
      case 'run': {
        const id = madeBy(
          await this.#client.write('POST', '/executions', { recipe: GALLERY_RECIPE }),
        )
        if (id !== null) this.#runs.push(id)
        return
      }
      case 'read':
        return this.#checkFiles(1)
      case 'deleteItem': {
        const [item] = await this.#items(1)
        if (!item) return
        this.#hasDeleted = true
        await this.#client.write('DELETE', `/media/${item.id}`)
        return
      }
      case 'deleteOfRun':
        if (run === null) return
        this.#hasDeleted = true
        await this.#client.write('DELETE', `/executions/${run}/media`)
        return
      case 'deleteRun':
        if (run !== null) await this.#client.write('DELETE', `/executions/${run}`)
    }
  }

  /** Some of its files, as the API shows them. */
  async #items(limit: number): Promise<readonly ShownFile[]> {
    const answer = await this.#client.send('GET', `/media?limit=${limit}`)
    if (answer?.status !== 200) return []
    const { data }: { data: { items: ShownFile[] } } = JSON.parse(answer.text)
    return data.items
  }

  /** Each file has the bytes that the gallery has, also by its link, which needs no credential. */
  async #checkFiles(limit = 100): Promise<void> {
    for (const { sha256, url } of await this.#items(limit)) {
      const truth = TRUTH.get(sha256)
      if (!truth) {
        this.#world.broke('a file has bytes that no page has')
        continue
      }
      const { pathname, search } = new URL(url, 'http://seine.test')
      // A call that began in the storm may hang until all is calm.
      const { isCalm } = this.#world
      const answer = await this.#world.call('', 'GET', pathname + search, {}, this.#luck)
      if (answer?.status === 200 && answer.text !== truth.text)
        this.#world.broke('a link to a file gives other bytes')
      if (isCalm && answer?.status !== 200)
        this.#world.broke(`a link to a file is ${answer?.status} when all is calm`)
    }
  }

  /** Each row names the file of its exhibit, and a run that succeeded has all that it names. */
  async #checkRows(): Promise<void> {
    const records = createRecords(this.#world.store)
    const stored = await records.media.list(this.account, { limit: ALL })
    const held = new Set(stored.map(({ value }) => value.sha256))
    const titles = new Map(EXHIBITS.flat().map(({ title, sha256 }) => [title, sha256]))
    for (const { value } of await records.executions.list(this.account, { limit: ALL })) {
      if (!isFinal(value.status) || value.rowsDeletedAt !== undefined) continue
      const answer = await this.#client.send('GET', `/executions/${value.id}/results?limit=100`)
      if (answer?.status !== 200) continue
      const { data }: { data: { items: { title: string; file: unknown }[] } } = JSON.parse(
        answer.text,
      )
      for (const { title, file } of data.items) {
        const sha256 = /"id":"med_([\da-f]{64})"/.exec(JSON.stringify(file))?.[1]
        if (sha256 === undefined) continue
        if (titles.get(title) !== sha256) this.#world.broke('a row names the file of another')
        if (!held.has(sha256) && !this.#hasDeleted)
          this.#world.broke('a row names a file that is not stored')
      }
    }
  }
}

/** A file on the wire. */
interface ShownFile {
  readonly id: string
  readonly sha256: string
  readonly url: string
}
