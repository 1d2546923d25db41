import fc from 'fast-check'
import type { OpenApiDocument } from '../../src/http/openapi/types.ts'
import { requestArbitrary } from '../support/worlds/routes/request-arbitrary.ts'
import type { AnyRequest } from '../support/worlds/routes/request-arbitrary.ts'
import type { Luck } from './luck.ts'
import type { World } from './world.ts'

/** Requests of each operation of the API, right and wrong; the same in all worlds. */
let operations: readonly fc.Arbitrary<AnyRequest>[] | null = null

/** A client that sends anything to any operation of the route table. */
export class Stranger {
  readonly account: string
  readonly #world: World
  readonly #luck: Luck
  /** The ids seen so far, by the part of the path before them. */
  readonly #ids = new Map<string, string[]>()
  #cursor = ''

  constructor(world: World, account: string, luck: Luck) {
    this.#world = world
    this.account = account
    this.#luck = luck
  }

  async live(): Promise<void> {
    const luck = this.#luck
    while (!this.#world.isCalm) {
      await this.#world.timeline.sleep(luck.int(100, 30_000) * this.#world.stretch)
      operations ??= await this.#readOperations()
      if (this.#world.isCalm) continue
      const operation = luck.any(operations ?? [])
      if (!operation) continue
      const [request] = fc.sample(operation, {
        seed: luck.int(1, 1e9),
        numRuns: 1,
      })
      if (request) await this.#send(request)
    }
  }

  async #send({ method, target, headers, body }: AnyRequest): Promise<void> {
    const path = target
      .replaceAll(/\{(\d+)\}/g, (_, n: string) => this.#idFor(target, Number(n)))
      .replaceAll('{cursor}', encodeURIComponent(this.#cursor))
    if (!isSendable(method, path, headers)) return
    const answer = await this.#world.call(
      this.account,
      method,
      path,
      {
        headers,
        ...(body !== null &&
          mayHaveBody(method) && {
            body: typeof body === 'string' ? body : new TextDecoder().decode(body),
          }),
      },
      this.#luck,
    )
    if (answer === null) return
    for (const [, id, kind] of answer.text.matchAll(
      /"((task|exec|ds|hook|key|top|snap|med|agx)_[^"]+)"/g,
    ))
      this.#note(kind ?? '', id ?? '')
    this.#cursor = /"nextCursor":"([^"]+)"/.exec(answer.text)?.[1] ?? this.#cursor
  }

  #idFor(target: string, n: number): string {
    const kinds: Readonly<Record<string, string>> = {
      tasks: 'task',
      executions: 'exec',
      datasets: 'ds',
      webhooks: 'hook',
      keys: 'key',
      'top-ups': 'top',
      snapshots: 'snap',
      media: 'med',
      'agentic-executions': 'agx',
    }
    const part = /\/([\w-]+)\/\{\d+\}/.exec(target)?.[1] ?? ''
    const ids = this.#ids.get(kinds[part] ?? '') ?? []
    return ids[n % Math.max(ids.length, 1)] ?? 'article'
  }

  #note(kind: string, id: string): void {
    const ids = this.#ids.get(kind) ?? []
    if (!ids.includes(id)) this.#ids.set(kind, [...ids, id].slice(-20))
  }

  async #readOperations(): Promise<readonly fc.Arbitrary<AnyRequest>[] | null> {
    const answer = await this.#world.call(
      this.account,
      'GET',
      '/api/v1/openapi.json',
      {},
      this.#luck,
    )
    if (answer?.status !== 200) return null
    const document: OpenApiDocument = JSON.parse(answer.text)
    return Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        requestArbitrary(document, path, method, operation),
      ),
    )
  }
}

function mayHaveBody(method: string): boolean {
  return !/^(get|head)$/i.test(method)
}

/** False if no `Request` can be made of it. */
function isSendable(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): boolean {
  try {
    return new Request(`http://seine.test${path}`, { method, headers }).method !== ''
  } catch {
    return false
  }
}
