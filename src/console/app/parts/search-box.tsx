import { useSignal } from '@preact/signals'

/**
 * A field whose text filters a list when it is submitted. Until then the typed text stays, even if
 * the list is rendered again.
 */
export function SearchBox({
  label,
  text,
  onSearch,
  placeholder,
  maxLength,
}: {
  readonly label: string
  /** The text by which the list is filtered now. */
  readonly text: string
  readonly onSearch: (text: string) => void
  readonly placeholder?: string
  readonly maxLength?: number
}) {
  const typed = useSignal<string | null>(null)
  return (
    <label>
      <span>{label}</span>
      <input
        type="search"
        value={typed.value ?? text}
        placeholder={placeholder}
        maxLength={maxLength}
        onInput={({ currentTarget: { value } }) => void (typed.value = value)}
        onChange={({ currentTarget: { value } }) => {
          typed.value = null
          onSearch(value.trim())
        }}
      />
    </label>
  )
}
