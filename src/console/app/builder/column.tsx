import { useEffect, useState } from 'preact/hooks'
import type { Preview } from '../../../client.ts'
import { isObject } from '../../../kernel/json.ts'
import { ExplainedSources } from '../parts/explanation.tsx'
import { textOf } from '../parts/values.ts'
import { words } from '../words.ts'
import { problem } from './draft.ts'
import type { RecipeField } from './recipe.ts'
import { fieldOf, formatOf, formatsOf, readingOf, sourcesOf, TYPES, typeOf } from './sources.ts'
import type { ColumnReading, Source } from './sources.ts'
import { StepsForm } from './steps-form.tsx'

/** One column: its name, type and sources, and its values on the page. */
export function Column({
  name,
  field,
  report,
  values,
  isUnique,
  isTaken,
  onChange,
  onUnique,
}: {
  readonly name: string
  readonly field: RecipeField
  readonly report: Preview['fields'][number] | undefined
  /** Its values in the first rows. */
  readonly values: readonly unknown[]
  /** True if it is one of the columns that identify a row. */
  readonly isUnique: boolean
  readonly isTaken: (name: string) => boolean
  readonly onChange: (column: readonly [string, RecipeField] | null) => void
  readonly onUnique: (isUnique: boolean) => void
}) {
  const [wrongName, setWrongName] = useState<string | null>(null)
  const sources = sourcesOf(field)
  const as = sources?.[0]?.as
  const failed = report?.sources.find((source) => source.failed !== null)?.failed
  const path = `recipe.extract.fields.${name}`
  const issues = problem.value?.issues.filter(
    (issue) => issue.path === path || issue.path.startsWith(`${path}.`),
  )
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
  const read = (reading: ColumnReading): void => {
    if (sources !== null)
      onChange([name, fieldOf(sources.map((source) => ({ ...source, as: reading })))])
  }
  const rename = (typed: string): void => {
    const wrong =
      typed === '' ? words.builder.emptyName : isTaken(typed) ? words.builder.takenName : null
    setWrongName(wrong)
    if (wrong === null) onChange([typed, field])
  }
  return (
    <li>
      <div class="line-of-fields">
        <label>
          <span>{words.builder.name}</span>
          <TextEntry value={name} aria-invalid={wrongName !== null} onLeave={rename} />
        </label>
        {as !== undefined && <TypeChoice as={as} onChange={read} />}
        <button
          type="button"
          class="quiet"
          aria-label={words.builder.remove(name)}
          onClick={() => onChange(null)}
        >
          ×
        </button>
      </div>
      {wrongName !== null && <p role="alert">{wrongName}</p>}
      {issues?.map((issue) => (
        <p key={issue.path} role="alert">
          {issue.message}
        </p>
      ))}
      {sources === null ? (
        <p>
          {isObject(field) && 'carried' in field ? words.builder.carried : words.builder.onlyJson}{' '}
          <code>{JSON.stringify(field)}</code>
        </p>
      ) : (
        <details>
          <summary>
            {words.builder.source} <code>{sources[0]?.path}</code>
          </summary>
          {sources.map((source, index) => (
            <SourceForm
              key={index}
              source={source}
              name={index === 0 ? words.builder.selector : words.builder.fallback}
              onChange={(changed) =>
                put(index, changed.path === '' && sources.length > 1 ? null : changed)
              }
            />
          ))}
          <button
            type="button"
            class="quiet"
            onClick={() =>
              put(sources.length, {
                path: '*',
                attr: '',
                as: as ?? 'text',
                steps: sources[0]?.steps ?? [],
                rest: {},
              })
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
      <Sample values={values} />
      <label class="check">
        <input
          type="checkbox"
          checked={isUnique}
          onChange={(event) => onUnique(event.currentTarget.checked)}
        />
        {words.builder.unique}
      </label>
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

/** A type, and the format of its values in the page. */
function TypeChoice({
  as,
  onChange,
}: {
  readonly as: ColumnReading
  readonly onChange: (as: ColumnReading) => void
}) {
  const type = typeOf(as)
  const formats = formatsOf(type)
  return (
    <>
      <label>
        <span>{words.builder.kind}</span>
        <select
          value={type}
          onChange={({ currentTarget: { value } }) =>
            onChange(TYPES.find((name) => name === value) ?? 'text')
          }
        >
          {TYPES.map((choice) => (
            <option key={choice} value={choice}>
              {words.types[choice]}
            </option>
          ))}
        </select>
      </label>
      {formats.length > 0 && (
        <label>
          <span>{words.builder.format}</span>
          <select
            value={formatOf(as)}
            onChange={({ currentTarget: { value } }) => onChange(readingOf(type, value))}
          >
            <option value="">{words.builder.anyFormat}</option>
            {formats.map((format) => (
              <option key={format} value={format}>
                {words.builder.formats[format] ?? format}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  )
}

function SourceForm({
  source,
  name,
  onChange,
}: {
  readonly source: Source
  /** Of its selector. */
  readonly name: string
  readonly onChange: (source: Source) => void
}) {
  const { path, attr, steps, rest } = source
  return (
    <>
      <div class="line-of-fields">
        <label>
          <span>{name}</span>
          <TextEntry
            value={path}
            spellcheck={false}
            onLeave={(text) => onChange({ ...source, path: text })}
          />
        </label>
        <label>
          <span>{words.builder.attributeName}</span>
          <TextEntry
            value={attr}
            placeholder={words.builder.textOf}
            spellcheck={false}
            onLeave={(text) => onChange({ ...source, attr: text })}
          />
        </label>
      </div>
      {Object.keys(rest).length > 0 && (
        <p>
          {words.builder.alsoJson} <code>{JSON.stringify(rest)}</code>
        </p>
      )}
      <StepsForm steps={steps} onChange={(changed) => onChange({ ...source, steps: changed })} />
    </>
  )
}

/** The first value of a column, and whether all values differ. */
function Sample({ values }: { readonly values: readonly unknown[] }) {
  const texts = values.map(textOf).filter((text) => text !== '')
  const [first] = texts
  if (first === undefined) return null
  const differing = new Set(texts).size
  return (
    <p class="fill">
      {words.builder.sample} <code>{first.slice(0, 80)}</code>{' '}
      {texts.length > 1 && words.builder.differing(differing, texts.length)}
    </p>
  )
}

/**
 * A text that takes effect when its field is left. The typed text survives a rendering of the
 * builder, which happens for each new table.
 */
function TextEntry({
  value,
  onLeave,
  ...others
}: {
  readonly value: string | undefined
  readonly onLeave: (text: string) => void
  readonly placeholder?: string
  readonly spellcheck?: boolean
  readonly 'aria-invalid'?: boolean
}) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  return (
    <input
      type="text"
      {...others}
      value={typed}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={(event) => onLeave(event.currentTarget.value.trim())}
    />
  )
}
