import type { Store } from 'seine'

type Call = {
  [Name in 'get' | 'list' | 'commit']: {
    readonly name: Name
    readonly asked: Parameters<Store[Name]>[0]
  }
}[keyof Store & ('get' | 'list' | 'commit')]

/** A store over requests to its owner: only a Durable Object itself can reach its storage. */
export function storeBehind(object: { fetch(request: Request): Promise<Response> }): Store {
  const ask = async <T>(call: Call): Promise<T> => {
    const response = await object.fetch(
      new Request('https://object.example.com', { method: 'POST', body: JSON.stringify(call) }),
    )
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    const answer: T = JSON.parse(text)
    return answer
  }
  return {
    get: (keys) => ask({ name: 'get', asked: keys }),
    list: (range) => ask({ name: 'list', asked: range }),
    commit: (change) => ask({ name: 'commit', asked: change }),
    async close() {},
  }
}

/** Answers a call of {@link storeBehind}. */
export async function answerStore(store: Store, request: Request): Promise<Response> {
  const call: Call = JSON.parse(await request.text())
  switch (call.name) {
    case 'get': {
      const entries = await store.get(call.asked)
      return Response.json(
        entries.map(
          (entry) => entry && { key: entry.key, value: entry.value, version: entry.version },
        ),
      )
    }
    case 'list': {
      const entries = await store.list(call.asked)
      return Response.json(entries.map(({ key, value, version }) => ({ key, value, version })))
    }
    case 'commit':
      return Response.json(await store.commit(call.asked))
  }
}
