import { defineMember } from '../../../kernel/json.ts'
import { keepNamesOf, namesOf } from '../value/wide-names.ts'
import type { Parts } from './in-turns.ts'

type Structure<T> = readonly T[] | { readonly [name: string]: T }
type Made<T> = (T | Made<T>)[] | { [name: string]: T | Made<T> }

/** A list or an object, and the one that is made from it. */
export class Level<From, To> {
  declare readonly count: number
  declare readonly from: Structure<From>
  /** The names of the members of an object. `null`: it is a list. */
  declare readonly names: readonly string[] | null
  declare readonly made: Made<To>
  /** The depth of the members. */
  declare readonly depth: number
  /** The index of the next member. */
  declare next: number

  constructor(from: Structure<From>, depth: number) {
    const isOfList = isListOf(from)
    this.from = from
    this.names = isOfList ? null : namesOf(from)
    this.count = isOfList ? from.length : (this.names?.length ?? 0)
    this.made = isOfList ? [] : {}
    this.depth = depth
    this.next = 0
  }

  /** The member at an index. To list the values of an object may take long. */
  memberAt(index: number): From | null {
    const { from } = this
    return (isListOf(from) ? from[index] : from[this.names?.[index] ?? '']) ?? null
  }

  /** Call it after the last member. */
  end(): void {
    if (this.names !== null) keepNamesOf(this.made, this.names)
  }

  add(name: string | undefined, member: To | Made<To>): void {
    if (Array.isArray(this.made)) this.made.push(member)
    else defineMember(this.made, name ?? '', member)
  }
}

function isListOf<T>(from: Structure<T>): from is readonly T[] {
  return Array.isArray(from)
}

/** Reads a member of a level: what it becomes, or a level whose members are read next. */
type Read<From, To, L> = (member: From | null, level: L, name: string | undefined) => To | L
interface Pass {
  ends(): boolean
}

/**
 * Makes a list or an object from another in parts. A generator for each list and object would take
 * several times as long as their members, so one does them all.
 */
export function* copyLevels<From, To, L extends Level<From, To>>(
  root: L & Level<From, To>,
  read: Read<From, To, L>,
  pass: Pass,
): Parts<Made<To>> {
  const outer: L[] = []
  for (let level: L | undefined = root; level !== undefined;) {
    const inner = readMembers(level, read, pass)
    if (inner === null) {
      level.end()
      level = outer.pop()
    } else if (inner === level) yield
    else {
      outer.push(level)
      level = inner
    }
  }
  return root.made
}

/** Reads up to a level in the level. `null`: all is read. The level itself: a part ends. */
function readMembers<From, To, L extends Level<From, To>>(
  level: L & Level<From, To>,
  read: Read<From, To, L>,
  pass: Pass,
): L | null {
  const { names } = level
  while (level.next < level.count) {
    if (pass.ends()) return level
    const index = level.next++
    const name = names?.[index]
    const member = read(level.memberAt(index), level, name)
    if (typeof member === 'object' && member instanceof Level) {
      level.add(name, member.made)
      return member
    }
    level.add(name, member)
  }
  return null
}
