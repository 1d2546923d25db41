import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/**
 * The most processors with which each thread collects its garbage alone. With more of them, V8's
 * helpers find one that is free.
 */
const FEW_PROCESSORS = 4

/**
 * A crawl makes so much short-lived garbage that V8 doubles the young generation again and again,
 * and keeps it. With the size set here, a crawl needs up to a third less memory and is as fast.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/**
 * Page threads would also keep their first size, which is 1 MiB and less than the tree of a page.
 * So they begin with more (decisions/011-threads.md).
 */
export function beginLarger(): void {
  setFlagsFromString('--min-semi-space-size=8')
}

/**
 * With a small heap limit, as in a container, V8 collects all garbage after some ten megabytes. The
 * answers of one account with large records then stop the server six times a second. More growth
 * would need more memory in the page threads, too.
 */
export function letGarbageGrow(): void {
  setFlagsFromString('--heap-growing-percent=150')
}

/**
 * Lets each thread of the process collect its short-lived garbage alone, if there are few
 * processors. V8 otherwise wakes helpers each time, which all threads share. They have a normal
 * priority also at the garbage of page threads, so they take the processor of the thread that
 * serves. That thread also waits until a helper that it has woken gets a processor.
 */
export function collectAlone(processors = availableParallelism()): void {
  if (processors > FEW_PROCESSORS) return
  setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString('--no-concurrent-array-buffer-sweeping')
}
