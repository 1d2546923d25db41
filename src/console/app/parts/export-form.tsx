import { useSignal } from '@preact/signals'
import type { Download } from '../../../client.ts'
import { words } from '../words.ts'
import { useAction } from './ask.ts'
import { rowCounter, save } from './save.ts'
import { sizeOf, Wrong } from './show.tsx'

const FORMATS = ['csv', 'xlsx', 'jsonl', 'json', 'parquet', 'xml', 'html'] as const

/** Chooses a format, and saves rows as a file. A bar shows the number of rows so far. */
export function ExportForm({
  total,
  isOff,
  file,
}: {
  /** Rows that the file will have. */
  readonly total: number
  readonly isOff: boolean
  readonly file: (format: (typeof FORMATS)[number]) => Promise<Download>
}) {
  const format = useSignal<(typeof FORMATS)[number]>('csv')
  const size = useSignal<string | null>(null)
  /** `null`: nobody knows. */
  const rows = useSignal<number | null>(null)
  const action = useAction()
  const saveFile = async () => {
    const count = rowCounter(format.value)
    rows.value = null
    await save(await file(format.value), (part, bytes) => {
      size.value = words.run.exported(sizeOf(bytes))
      if (count !== null) rows.value = count(part)
    })
  }
  return (
    <>
      <div class="filters">
        <label>
          <span>{words.run.format}</span>
          <select
            value={format}
            onChange={({ currentTarget: { value } }) =>
              (format.value = FORMATS.find((name) => name === value) ?? 'csv')
            }
          >
            {FORMATS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <button
          type="button"
          disabled={action.isBusy || isOff}
          onClick={() => action.run(saveFile)}
        >
          {words.run.export}
        </button>
        {action.isBusy && (
          <progress
            aria-label={words.run.export}
            value={rows.value ?? undefined}
            max={Math.max(total, 1)}
          />
        )}
        <span role="status">{size}</span>
      </div>
      <Wrong problem={action.problem} />
    </>
  )
}
