import { useState } from 'preact/hooks'
import type { Preview } from '../../../client.ts'
import { ExplainedSources } from '../parts/explanation.tsx'
import { words } from '../words.ts'
import { change, draft } from './draft.ts'
import { columnsOf, fieldOf, sourcesOf, TYPES, withColumns } from './recipe.ts'
import type { RecipeField, Source } from './recipe.ts'

type Report = Preview['fields'][number]

/** The columns of the recipe, to be renamed, retyped, given another source, and removed. */
export function Columns({ preview }: { readonly preview: Preview | null }) {
  const recipe = draft.value?.recipe
  if (recipe === undefined) return null
  const columns = columnsOf(recipe)
  if (columns.length === 0) return <p>{words.builder.noColumns}</p>
  const put = (position: number, column: readonly [string, RecipeField] | null): void =>
    change(
      withColumns(
        recipe,
        columns.flatMap((old, index) =>
          index === position ? (column === null ? [] : [column]) : [old],
        ),
      ),
    )
  return (
    <ol class="columns">
      {columns.map(([name, field], index) => (
        <Column
          key={`${index} ${name}`}
          name={name}
          field={field}
          report={preview?.fields.find((report) => report.field === name)}
          isTaken={(other) => other !== name && columns.some(([column]) => column === other)}
          onChange={(column) => put(index, column)}
        />
      ))}
    </ol>
  )
}

function Column({
  name,
  field,
  report,
  isTaken,
  onChange,
}: {
  readonly name: string
  readonly field: RecipeField
  readonly report: Report | undefined
  readonly isTaken: (name: string) => boolean
  readonly onChange: (column: readonly [string, RecipeField] | null) => void
}) {
  const [problem, setProblem] = useState<string | null>(null)
  const sources = sourcesOf(field)
  const failed = report?.sources.find((source) => source.failed !== null)?.failed
  const put = (position: number, source: Source | null): void => {
    if (sources === null) return
    const changed = sources.flatMap((old, index) =>
      index === position ? (source === null ? [] : [source]) : [old],
    )
    onChange([
      name,
      fieldOf(position === sources.length && source ? [...changed, source] : changed),
    ])
  }
  const rename = (typed: string): void => {
    const problemOfName =
      typed === '' ? words.builder.emptyName : isTaken(typed) ? words.builder.takenName : null
    setProblem(problemOfName)
    if (problemOfName === null) onChange([typed, field])
  }
  return (
    <li>
      <div class="line-of-fields">
        <label>
          <span>{words.builder.name}</span>
          <input value={name} onChange={(event) => rename(event.currentTarget.value.trim())} />
        </label>
        {sources?.[0] && (
          <label>
            <span>{words.builder.type}</span>
            <select
              value={sources[0].as}
              onChange={(event) => {
                const as = event.currentTarget.value
                onChange([name, fieldOf(sources.map((source) => ({ ...source, as })))])
              }}
            >
              {[...new Set([...TYPES, sources[0].as])].map((type) => (
                <option key={type} value={type}>
                  {words.types[type as keyof typeof words.types] ?? type}
                </option>
              ))}
            </select>
          </label>
        )}
        <button
          type="button"
          class="quiet"
          aria-label={words.builder.remove(name)}
          onClick={() => onChange(null)}
        >
          ×
        </button>
      </div>
      {problem !== null && <p role="alert">{problem}</p>}
      {sources === null ? (
        <p>
          {typeof field === 'object' && 'carried' in field
            ? words.builder.carried
            : words.builder.onlyJson}{' '}
          <code>{JSON.stringify(field)}</code>
        </p>
      ) : (
        <details>
          <summary>
            {words.builder.source} <code>{sources[0]?.css}</code>
          </summary>
          {sources.map((source, index) => (
            <div class="line-of-fields" key={index}>
              <label>
                <span>{index === 0 ? words.builder.selector : words.builder.fallback}</span>
                <input
                  value={source.css}
                  spellcheck={false}
                  onChange={(event) => {
                    const css = event.currentTarget.value.trim()
                    put(index, css === '' && sources.length > 1 ? null : { ...source, css })
                  }}
                />
              </label>
              <label>
                <span>{words.builder.attributeName}</span>
                <input
                  value={source.attr}
                  placeholder={words.builder.textOf}
                  spellcheck={false}
                  onChange={(event) =>
                    put(index, { ...source, attr: event.currentTarget.value.trim() })
                  }
                />
              </label>
            </div>
          ))}
          <button
            type="button"
            class="quiet"
            onClick={() =>
              put(sources.length, { css: '*', attr: '', as: sources[0]?.as ?? 'text' })
            }
          >
            {words.builder.addFallback}
          </button>
        </details>
      )}
      {report && (
        <p class="fill">
          <meter min={0} max={1} value={report.rate} aria-label={words.builder.fill(name)} />{' '}
          {words.builder.filled(report.filled, report.rate)}
        </p>
      )}
      {report && report.sources.length > 0 && (
        <details>
          <summary>{words.explain.title}</summary>
          <ExplainedSources sources={report.sources} />
        </details>
      )}
      {failed && <p class="bad">{words.builder.failed(failed.text, failed.as)}</p>}
    </li>
  )
}
