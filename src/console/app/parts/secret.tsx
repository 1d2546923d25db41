import { words } from '../words.ts'

/** A secret that is shown once. */
export function Secret({
  secret,
  about,
}: {
  readonly secret: string | null
  readonly about: string
}) {
  if (secret === null) return <div role="status" />
  return (
    <div role="status" class="notice">
      <p>{about}</p>
      <p>
        <code>{secret}</code>{' '}
        <button
          type="button"
          class="quiet"
          onClick={() => void navigator.clipboard.writeText(secret)}
        >
          {words.copy}
        </button>
      </p>
    </div>
  )
}
