import type { Customer } from '../customer.ts'
import { Luck } from '../luck.ts'
import type { World } from '../world.ts'
import { isBrief, isLater } from '../later/later.ts'
import { Caller } from './caller.ts'
import { Correspondent } from './correspondent.ts'
import { Reader } from './reader.ts'
import { Agent } from './agent.ts'
import type { Person } from './client.ts'
import { Collector } from './collector.ts'
import { Follower } from './follower.ts'
import { Hurrier } from './hurrier.ts'
import { Listener } from './listener.ts'
import { Locksmith } from './locksmith.ts'
import { Peeper } from './peeper.ts'
import { Planner } from './planner.ts'
import { Rotator } from './rotator.ts'
import { Twin } from './twin.ts'

type Make = (world: World, luck: Luck, customers: readonly Customer[]) => Person

/**
 * Each with the salt of its luck: who lives in a world changes no other draw of it, so that seeds
 * find what they have found before there were these people.
 */
const PEOPLE: readonly (readonly [salt: number, Make])[] = [
  [0x5eed0018, (world, luck) => new Twin(world, luck)],
  [0x5eed0040, (world, luck) => new Listener(world, luck)],
  [0x5eed004c, (world, luck) => new Agent(world, luck)],
  [0x5eed0061, (world, luck, customers) => new Peeper(world, luck, customers)],
  [0x5eed00c1, (world, luck) => new Collector(world, luck)],
  [0x5eed0127, (world, luck) => new Locksmith(world, luck)],
  [0x5eed0150, (world, luck) => new Planner(world, luck)],
  [0x5eed0201, (world, luck) => new Follower(world, luck)],
]
/**
 * Those who came when seeds of bugs had been kept already: they live in later worlds only. A person
 * changes what processes do, and so what a kept seed finds.
 */
const NEWCOMERS: typeof PEOPLE = [[0x5eed0333, (world, luck) => new Hurrier(world, luck)]]
const LAST_KEPT_SEED = 99
/** Those who need what only later worlds have. */
const LATER: typeof PEOPLE = [
  [0x5eed0401, (world, luck) => new Reader(world, luck)],
  [0x5eed0419, (world, luck) => new Correspondent(world, luck)],
  [0x5eed0426, (world, luck) => new Caller(world, luck)],
]
/** Those who live in brief worlds only. */
const BRIEF: typeof PEOPLE = [[0x5eed0521, (world, luck) => new Rotator(world, luck)]]
/** The share of the worlds in which each of them lives. */
const SHARE = 0.3

/** Draws who lives in the world of a seed beside its customers. */
export function drawPeople(world: World, seed: number, customers: readonly Customer[]): Person[] {
  const people = [
    ...PEOPLE,
    ...(seed > LAST_KEPT_SEED ? NEWCOMERS : []),
    ...(isLater(seed) ? LATER : []),
    ...(isBrief(seed) ? BRIEF : []),
  ]
  return people.flatMap(([salt, make]) => {
    const luck = new Luck(seed ^ salt)
    return luck.chance(SHARE) ? [make(world, luck, customers)] : []
  })
}
