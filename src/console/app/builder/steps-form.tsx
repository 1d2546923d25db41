import { words } from '../words.ts'
import { entryOf, newStep, STEP_KINDS, stepOf } from './steps.ts'
import type { TextStep, StepEntry } from './steps.ts'

/** The steps that change the text of a source before it is read as a value, in order. */
export function StepsForm({
  steps,
  onChange,
}: {
  readonly steps: readonly TextStep[]
  readonly onChange: (steps: readonly TextStep[]) => void
}) {
  const entries = steps.flatMap((step) => entryOf(step) ?? [])
  const put = (position: number, entry: StepEntry | null): void =>
    onChange(
      entries.flatMap((old, index) => {
        const now = index === position ? entry : old
        return now === null ? [] : [stepOf(now)]
      }),
    )
  return (
    <div class="steps">
      <ol>
        {entries.map((entry, index) => (
          <li key={`${index} ${entry.kind}`}>
            <span>{words.builder.stepKinds[entry.kind]}</span>
            <Arguments entry={entry} onChange={(args) => put(index, { ...entry, args })} />
            <button
              type="button"
              class="quiet"
              aria-label={words.builder.removeStep(words.builder.stepKinds[entry.kind])}
              onClick={() => put(index, null)}
            >
              ×
            </button>
          </li>
        ))}
      </ol>
      <select
        aria-label={words.builder.addStep}
        value=""
        onChange={({ currentTarget }) => {
          const kind = STEP_KINDS.find((choice) => choice === currentTarget.value)
          currentTarget.value = ''
          if (kind !== undefined) onChange([...steps, stepOf(newStep(kind))])
        }}
      >
        <option value="">{words.builder.addStep}</option>
        {STEP_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {words.builder.stepKinds[kind]}
          </option>
        ))}
      </select>
    </div>
  )
}

const NUMERIC: ReadonlySet<string> = new Set(['slice', 'item'])
const NUMBER = { type: 'number' } as const

/** The arguments of a step. A map has pairs, and one more can be added. */
function Arguments({
  entry: { kind, args },
  onChange,
}: {
  readonly entry: StepEntry
  readonly onChange: (args: readonly string[]) => void
}) {
  const names = words.builder.stepArguments[kind]
  return (
    <>
      {args.map((text, index) => (
        <input
          key={index}
          {...(NUMERIC.has(kind) && NUMBER)}
          aria-label={names[index % names.length]}
          placeholder={names[index % names.length]}
          title={names[index % names.length]}
          value={text}
          spellcheck={false}
          onChange={({ currentTarget: { value } }) => onChange(args.with(index, value))}
        />
      ))}
      {kind === 'map' && (
        <button type="button" class="quiet" onClick={() => onChange([...args, '', ''])}>
          {words.builder.addPair}
        </button>
      )}
    </>
  )
}
