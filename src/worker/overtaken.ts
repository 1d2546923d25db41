/**
 * The fence is no longer ours: the execution was cancelled, paused or taken over. Nothing was
 * written.
 */
export class Overtaken extends Error {
  override readonly name = 'Overtaken'
}
