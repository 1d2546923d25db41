import type { Json } from '../../src/kernel/json.ts'
import type { Luck } from './luck.ts'
import { DEEDS } from './deeds.ts'
import { Keyring } from './keyring.ts'
import { drawReading, RECEIVER } from './sites.ts'
import type { Reading } from './sites.ts'
import { withoutIds } from './without-ids.ts'
import { isBusy } from './world.ts'
import type { Answer, World } from './world.ts'

/** A task as its owner knows it. */
export interface KnownTask {
  readonly id: string
  readonly name: string
  readonly reading: Reading
  isDeleted: boolean
  readonly datasetId: string | null
  /** All schedules that it may ever have had. */
  readonly schedules: KnownSchedule[]
}

/** A schedule as its owner has asked for it. */
export interface KnownSchedule {
  readonly cron: string
  readonly timeZone: string
  readonly overlap: boolean
  readonly missed: 'run' | 'skip'
}

/** An execution as its owner knows it. */
export interface KnownExecution {
  readonly id: string
  /** `null`: nobody has drawn its pages, such as those of a template. */
  readonly reading: Reading | null
  readonly taskId: string | null
  isDeleted: boolean
  /** True if its rows may have been deleted. */
  hasNoRows: boolean
}

const OPERATIONS = {
  createTask: 5,
  startTask: 8,
  run: 4,
  pause: 3,
  resume: 4,
  cancel: 1,
  retry: 2,
  extract: 1,
  reschedule: 2,
  deleteTask: 0.5,
  deleteRun: 0.5,
  createDataset: 1,
  topUp: 1,
  readExecution: 4,
  readLists: 2,
  export: 2,
  preview: 1,
  nonsense: 4,
  deed: 12,
  makeKey: 1,
  revokeKey: 0.5,
  useKey: 1,
  runTemplate: 0.5,
  deleteRows: 0.5,
  deleteDataset: 0.3,
  deleteWebhook: 0.3,
} as const

/** A customer with an account, who remembers what the platform has promised. */
export class Customer {
  readonly account: string
  readonly canary: string
  readonly tasks = new Map<string, KnownTask>()
  readonly executions = new Map<string, KnownExecution>()
  /** Names of tasks that were requested with an unknown outcome. */
  readonly unknownTasks = new Set<string>()
  unknownRuns = 0
  readonly topUps = new Map<string, number>()
  unknownTopUps = 0
  webhook: string | null = null
  readonly datasets: string[] = []
  readonly keys: Keyring
  readonly #world: World
  readonly #luck: Luck
  /** The ids that answers have shown, by their prefixes. */
  readonly #ids = new Map<string, string[]>()
  #count = 0

  constructor(world: World, account: string, luck: Luck) {
    this.keys = new Keyring(world, account, luck.fork(), (...call) => this.#write(...call))
    this.#world = world
    this.account = account
    this.#luck = luck
    this.canary = `canary-${account}-${luck.int(1e8, 1e9)}`
  }

  /** Uses the account until the world is calm. */
  async live(): Promise<void> {
    await this.#addWebhook()
    while (!this.#world.isCalm) {
      const rest = this.#luck.int(100, this.#luck.pick([2_000, 60_000]))
      await this.#world.timeline.sleep(rest * this.#world.stretch)
      if (this.#world.isCalm) return
      await this.#do(this.#luck.weighed(OPERATIONS))
    }
  }

  /** Calls until the outcome is known, with one key. `null`: it never was. */
  async #write(
    method: string,
    path: string,
    body?: unknown,
    secret?: string,
  ): Promise<Answer | null> {
    const key = `${this.account}-${++this.#count}`
    const send = () => this.#send(method, path, body, key, secret)
    const answer = await this.#world.untilKnown(send, this.#luck)
    const outcome = answer?.status ?? 'has no known outcome'
    this.#world.tell(`${this.account}: ${method} ${path} ${outcome}`)
    // A preview changes nothing, so its answer is not kept for a second call.
    const isWrite = !path.endsWith('/preview')
    if (answer !== null && answer.status < 300 && secret === undefined && isWrite)
      this.#world.acknowledge({ account: this.account, method, path, body, key, answer })
    if (answer !== null && answer.status < 300 && this.#luck.chance(0.1))
      this.#compare(answer, await send(), path)
    return answer
  }

  /** A call that is sent again with its key has the answer that it had before. */
  #compare(first: Answer, again: Answer | null, path: string): void {
    if (again === null || again.status >= 500 || isBusy(again)) return
    if (this.#world.suspended.has(this.account)) return
    const id = /"id":"[^"]*"/
    const isSame = id.exec(first.text)?.[0] === id.exec(again.text)?.[0]
    if (again.status !== first.status || !isSame)
      this.#world.broke(
        `a call sent twice with one key is ${first.status}, then ${again.status}: ` +
          withoutIds(path),
      )
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
    secret?: string,
  ): Promise<Answer | null> {
    const world = this.#world
    const answer = await world.call(
      this.account,
      method,
      `/api/v1${path}`,
      {
        ...(body !== undefined && { body }),
        ...(key !== undefined && { key }),
        ...(secret !== undefined && { secret }),
      },
      this.#luck,
    )
    if (answer === null) return null
    for (const canary of answer.text.match(/canary-\w+-\d+/g) ?? [])
      if (canary !== this.canary) world.broke(`an account was shown ${canary}`)
    for (const [id, kind = ''] of answer.text.matchAll(/\b([a-z]{2,4})_[0-9A-Z]{26}\b/g))
      this.#ids.set(kind, [...(this.#ids.get(kind) ?? []), id].slice(-20))
    for (const [, id = ''] of answer.text.matchAll(/"(dlv_[^"]+)"/g)) this.#ids.set('dlv', [id])
    const { failed, lost, away } = world.ground.faults
    // A full disk is 503 with a reason; other faults are errors that nobody can foresee.
    if (answer.status === 500 && failed + lost + away === 0)
      world.broke(`${method} ${withoutIds(path)} is 500: ${answer.text}`)
    return answer
  }

  async #addWebhook(): Promise<void> {
    const answer = await this.#write('POST', '/webhooks', {
      url: `https://${RECEIVER}/${this.account}`,
      events: ['*'],
      description: this.canary,
    })
    if (answer?.status === 201) this.webhook = idOf(answer)
  }

  async #do(operation: keyof typeof OPERATIONS): Promise<void> {
    const luck = this.#luck
    const task = this.#luck.any([...this.tasks.values()].filter(({ isDeleted }) => !isDeleted))
    const execution = this.#luck.any([...this.executions.values()])
    switch (operation) {
      case 'createTask':
        return this.#createTask()
      case 'startTask': {
        if (!task) return
        const answer = await this.#write('POST', `/tasks/${task.id}/executions`, {})
        this.#noteRun(answer, task.reading, task.id)
        return
      }
      case 'run': {
        const reading = this.#draw()
        this.#noteRun(
          await this.#write('POST', '/executions', { recipe: reading.recipe }),
          reading,
          null,
        )
        return
      }
      case 'pause':
      case 'resume':
      case 'cancel':
        if (execution) await this.#write('POST', `/executions/${execution.id}/${operation}`)
        return
      case 'retry': {
        if (!execution) return
        const answer = await this.#write('POST', `/executions/${execution.id}/retry`, {})
        this.#noteRun(answer, limited(execution.reading), execution.taskId)
        return
      }
      case 'extract': {
        if (!execution?.reading) return
        const { extract } = execution.reading.recipe
        const answer = await this.#write('POST', `/executions/${execution.id}/extract`, {
          recipe: { extract },
        })
        this.#noteRun(answer, limited(execution.reading), execution.taskId)
        return
      }
      case 'reschedule': {
        if (!task) return
        const schedule = luck.chance(0.3) ? null : this.#schedule()
        if (schedule) task.schedules.push(schedule)
        await this.#write('PATCH', `/tasks/${task.id}`, { schedule })
        return
      }
      case 'deleteTask': {
        if (!task) return
        const answer = await this.#write('DELETE', `/tasks/${task.id}`)
        if (answer === null || answer.status < 300) task.isDeleted = true
        return
      }
      case 'deleteRun': {
        if (!execution || execution.isDeleted) return
        const answer = await this.#write('DELETE', `/executions/${execution.id}`)
        if (answer === null || answer.status < 300) execution.isDeleted = true
        return
      }
      case 'createDataset': {
        const answer = await this.#write('POST', '/datasets', {
          name: this.canary,
          keyFields: ['title'],
        })
        if (answer?.status === 201) this.datasets.push(idOf(answer))
        return
      }
      case 'topUp': {
        const credits = luck.int(1, 500)
        const answer = await this.#write('POST', '/billing/top-ups', { credits })
        if (answer?.status === 201 || answer?.status === 200) this.topUps.set(idOf(answer), credits)
        if (isUnknown(answer)) this.unknownTopUps++
        return
      }
      case 'readExecution':
        if (execution) await this.#send('GET', `/executions/${execution.id}/pages?limit=5`)
        return
      case 'readLists':
        await this.#send(
          'GET',
          luck.pick([
            '/tasks?count=true',
            '/executions',
            '/billing/ledger',
            '/webhooks',
            '/datasets',
            '/audit',
          ]),
        )
        return
      case 'export': {
        const format = luck.pick(['csv', 'json', 'jsonl', 'xml', 'html'])
        if (execution)
          await this.#send('GET', `/executions/${execution.id}/results/export?format=${format}`)
        return
      }
      case 'preview':
        await this.#send('POST', '/tasks/preview', { recipe: this.#draw().recipe })
        return
      case 'deed':
        return this.#doDeed()
      case 'makeKey':
        return this.keys.make()
      case 'revokeKey':
        return this.keys.revoke()
      case 'useKey':
        return this.keys.use()
      case 'runTemplate': {
        const body = { params: { urls: [this.#draw().start] } }
        this.#noteRun(await this.#write('POST', '/templates/article/executions', body), null, null)
        return
      }
      case 'deleteRows': {
        if (!execution) return
        execution.hasNoRows = true
        await this.#write('DELETE', `/executions/${execution.id}/results`)
        return
      }
      case 'deleteDataset': {
        // Tasks may still name it: they must not be created with it again.
        const used = new Set([...this.tasks.values()].map(({ datasetId }) => datasetId))
        const spare = this.#luck.any(this.datasets.filter((id) => !used.has(id)))
        if (spare === null) return
        this.datasets.splice(this.datasets.indexOf(spare), 1)
        await this.#write('DELETE', `/datasets/${spare}`)
        return
      }
      case 'deleteWebhook': {
        const spare = this.#luck.any(
          (this.#ids.get('hook') ?? []).filter((id) => id !== this.webhook),
        )
        if (spare !== null && this.webhook !== null)
          await this.#write('DELETE', `/webhooks/${spare}`)
        return
      }
      case 'nonsense':
        return this.#sendNonsense(task?.id ?? 'task_none')
    }
  }

  /** Any other operation. Its answer may be a refusal; what must not happen, the oracles see. */
  async #doDeed(): Promise<void> {
    const deed = DEEDS[this.#luck.any(Object.keys(DEEDS)) ?? '']?.({
      luck: this.#luck,
      canary: this.canary,
      newTaskName: () => {
        const name = `${this.canary} ${++this.#count}`
        this.unknownTasks.add(name)
        return name
      },
      idOf: (kind) => this.#luck.any(this.#ids.get(kind) ?? []),
      page: this.#draw().start,
    })
    if (!deed) return
    const { method, path, body } = deed
    if (method === 'GET') await this.#send(method, path)
    else await this.#write(method, path, body)
  }

  async #createTask(): Promise<void> {
    const reading = this.#draw()
    const name = `${this.canary} ${++this.#count}`
    const schedule = this.#luck.chance(0.4) ? this.#schedule() : null
    const datasetId = this.#luck.chance(0.5) ? this.#luck.any(this.datasets) : null
    const answer = await this.#write('POST', '/tasks', {
      name,
      recipe: reading.recipe,
      ...(schedule && { schedule }),
      ...(datasetId !== null && { datasetId }),
    })
    if (isUnknown(answer)) this.unknownTasks.add(name)
    else if (answer?.status === 201) {
      const id = idOf(answer)
      if (this.tasks.has(id)) this.#world.broke('two calls with two keys made one task')
      this.tasks.set(id, {
        id,
        name,
        reading,
        isDeleted: false,
        datasetId,
        schedules: schedule ? [schedule] : [],
      })
    } else if (!this.#world.suspended.has(this.account))
      this.#world.broke(`a right task is ${answer?.status}: ${answer?.text}`)
  }

  #noteRun(answer: Answer | null, reading: Reading | null, taskId: string | null): void {
    if (isUnknown(answer)) this.unknownRuns++
    else if (answer?.status === 201 || answer?.status === 202) {
      const id = idOf(answer)
      if (this.executions.has(id)) this.#world.broke('two calls with two keys made one execution')
      this.executions.set(id, { id, reading, taskId, isDeleted: false, hasNoRows: false })
    }
  }

  /** Wrong calls that no client should send: they are refused without an effect. */
  async #sendNonsense(taskId: string): Promise<void> {
    const luck = this.#luck
    const deep = '['.repeat(luck.int(1, 3_000))
    const [method, path, body] = luck.pick<readonly [string, string, unknown]>([
      ['POST', '/tasks', { recipe: { strat: {} } }],
      ['POST', '/tasks', deep],
      ['POST', '/tasks', { name: 7, recipe: null }],
      ['POST', '/tasks', '{"recipe":{"__proto__":{"start":1}}}'],
      ['PATCH', `/tasks/${taskId}`, {}],
      ['PATCH', `/tasks/${taskId}`, { schedule: { cron: '99 * * * *' } }],
      ['POST', `/tasks/${taskId}/executions`, { budget: { pages: -1 } }],
      ['POST', '/executions', { recipe: { start: { urls: ['http://127.0.0.1/'] } } }],
      ['POST', '/webhooks', { url: 'https://10.0.0.1/', events: ['*'] }],
      ['GET', '/tasks?cursor=nonsense', undefined],
      ['GET', '/executions/exec_none/results', undefined],
      ['POST', '/billing/top-ups', { credits: -5 }],
      ['DELETE', '/keys/key_none', undefined],
      ['POST', '/datasets', { name: '', key: [] }],
    ])
    const answer = await this.#send(method, path, body)
    if (answer !== null && answer.status < 400)
      this.#world.broke(`nonsense was taken: ${method} ${path} ${answer.status}`)
  }

  #draw(): Reading {
    const site = this.#luck.any(this.#world.sites)
    if (!site) throw new Error('A world has sites')
    return drawReading(this.#luck, site)
  }

  #schedule(): KnownSchedule {
    const further = this.#world.furtherCrons
    return {
      cron: this.#luck.pick(
        this.#world.stretch > 6
          ? ['30 1,2,3 * * *', '0 2 * * *', '15 3 * * 0', '0 0 1 * *', ...further]
          : ['*/5 * * * *', '*/20 * * * *', '0 * * * *', '30 1,2,3 * * *', ...further],
      ),
      timeZone: this.#luck.pick(this.#world.zones),
      overlap: this.#luck.chance(0.3),
      missed: this.#luck.pick(['run', 'skip']),
    }
  }
}

/** A suspended account is refused, but an earlier try without an answer may have had its effect. */
function isUnknown(answer: Answer | null): boolean {
  return answer === null || answer.status === 403
}

function idOf({ text }: Answer): string {
  const { data }: { data?: { readonly [name: string]: Json } } = JSON.parse(text)
  const id = data?.['id']
  if (typeof id !== 'string') throw new Error(`An answer has no id: ${text}`)
  return id
}

/** A part of it, or another try: it need not visit everything. */
function limited(reading: Reading | null): Reading | null {
  return reading && { ...reading, isLimited: true }
}
