import { expect, test } from 'vitest'
import type { Seed } from './seed.ts'

/** A host under test. */
export interface Stage {
  readonly url: string
  readonly seed: Seed
  fetch(url: string, init?: RequestInit): Promise<Response>
}

/** Answers of the API, as far as the cases read them. */
interface Answer {
  readonly data: {
    readonly id: string
    readonly name: string
    readonly status: string
    readonly recipe: unknown
    readonly items: readonly { readonly image: { readonly url: string } }[]
  }
  readonly error?: { readonly code: string }
}

/** Registers the tests of every host. */
export function testHost(stageOf: () => Stage): void {
  const call = async (
    path: string,
    init: RequestInit = {},
  ): Promise<{ response: Response; answer: Answer }> => {
    const { url, seed, fetch } = stageOf()
    const response = await fetch(`${url}/data/api/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${seed.key}`, ...init.headers },
    })
    const answer: Answer = JSON.parse(await response.text())
    return { response, answer }
  }

  test('the host still serves its own pages', async () => {
    const { url, fetch } = stageOf()
    expect(await (await fetch(`${url}/`)).text()).toBe('The pages of your own site')
  })

  test('a call without a credential is refused', async () => {
    const { url, fetch } = stageOf()
    const response = await fetch(`${url}/data/api/v1/tasks`)
    expect([
      response.status,
      response.headers.get('www-authenticate'),
      await response.json(),
    ]).toMatchObject([401, 'Bearer', { success: false, error: { code: 'UNAUTHORIZED' } }])
  })

  test('an unknown path of the platform is answered with the 404 of the platform', async () => {
    const { response, answer } = await call('/nothing')
    expect([response.status, answer.error?.code]).toEqual([404, 'NOT_FOUND'])
  })

  test('a body arrives unchanged, also in pieces', async () => {
    const recipe = {
      start: {
        urls: Array.from(
          { length: 500 },
          (_, index) => `https://shop.example.com/${'ü'.repeat(40)}/${index}`,
        ),
      },
      extract: { fields: { title: 'h1' } },
    }
    const bytes = new TextEncoder().encode(JSON.stringify({ name: 'Lämpchen 灯', recipe }))
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let position = 0; position < bytes.length; position += 10_001)
          controller.enqueue(bytes.subarray(position, position + 10_001))
        controller.close()
      },
    })
    const init: RequestInit & { readonly duplex: 'half' } = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: pieces,
      duplex: 'half',
    }
    const created = await call('/tasks', init)
    expect(created.response.status).toBe(201)
    const read = await call(`/tasks/${created.answer.data.id}`)
    expect(read.answer.data).toMatchObject({ name: 'Lämpchen 灯', recipe: { start: recipe.start } })
    const removed = await stageOf().fetch(
      `${stageOf().url}/data/api/v1/tasks/${created.answer.data.id}`,
      { method: 'DELETE', headers: { authorization: `Bearer ${stageOf().seed.key}` } },
    )
    expect(removed.ok).toBe(true)
  })

  test('a body of the wrong type is refused before it is read', async () => {
    const { response, answer } = await call('/tasks', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    })
    expect([response.status, answer.error?.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  test('a download comes in parts and is complete', async () => {
    const { url, seed, fetch } = stageOf()
    const response = await fetch(
      `${url}/data/api/v1/executions/${seed.big}/results/export?format=csv`,
      { headers: { authorization: `Bearer ${seed.key}` } },
    )
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename=/)
    expect(response.headers.get('content-length')).toBeNull()
    expect(linesOf(await response.text())).toBe(seed.rows + 1)
  })

  test('links to media begin with the prefix', async () => {
    const { url, seed, fetch } = stageOf()
    const { answer } = await call(`/executions/${seed.picture}/results`)
    const link = answer.data.items[0]?.image.url ?? ''
    expect(link.startsWith(`${url}/data/media/`)).toBe(true)
    const media = await fetch(link)
    expect([
      media.status,
      media.headers.get('content-type'),
      (await media.arrayBuffer()).byteLength,
    ]).toEqual([200, 'image/gif', 42])
  })

  test('the worker runs, and cannot reach the private network', async () => {
    const id = stageOf().seed.queued
    await expect
      .poll(async () => (await call(`/executions/${id}`)).answer.data.status, { interval: 100 })
      .toBe('failed')
  })
}

/** Lines of a CSV file. */
export function linesOf(csv: string): number {
  return csv.trimEnd().split('\r\n').length
}
