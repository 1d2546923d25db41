import { useSignal } from '@preact/signals'
import { SeineError } from '../../../client.ts'
import type { Preview } from '../../../client.ts'
import { Rows } from '../parts/rows.tsx'
import { client } from '../session.ts'
import { words } from '../words.ts'

/** One box for an address, and the table of its page. */
export function Start() {
  const typed = useSignal('')
  const preview = useSignal<Preview | null>(null)
  const problem = useSignal<string | null>(null)
  const isWorking = useSignal(false)

  async function show(): Promise<void> {
    isWorking.value = true
    problem.value = null
    preview.value = null
    try {
      preview.value = await client.value.previews.recipe({
        recipe: { start: { urls: [withScheme(typed.value.trim())] }, extract: 'auto' },
      })
    } catch (error) {
      problem.value = error instanceof SeineError ? error.message : words.errors.offline
    } finally {
      isWorking.value = false
    }
  }

  const rows = preview.value?.rows ?? []
  return (
    <>
      <h1>{words.start.title}</h1>
      <p>{words.start.about}</p>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault()
          void show()
        }}
      >
        <label for="address">{words.start.address}</label>
        <input
          id="address"
          inputMode="url"
          autocomplete="url"
          placeholder="https://…"
          required
          value={typed}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
        <button type="submit" disabled={isWorking}>
          {words.start.submit}
        </button>
      </form>
      <div role="status">{isWorking.value && words.start.working}</div>
      {problem.value !== null && <p role="alert">{problem}</p>}
      {preview.value !== null && rows.length === 0 && <p>{words.start.nothing}</p>}
      {rows.length > 0 && <Rows rows={rows} caption={words.start.rows(rows.length)} />}
    </>
  )
}

/** People type addresses without a scheme. */
function withScheme(address: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`
}
