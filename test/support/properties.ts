import fc from 'fast-check'

// Properties draw the same cases in every run, so that a red run is about the change at hand. To
// look further: `FC_SEED=$RANDOM npx vitest run`; a case that is found becomes an example of its
// property.
//
// A stated `maxLength` is reached: alone it would bound arrays and texts of ten items.
fc.configureGlobal({
  seed: Number(process.env.FC_SEED ?? 20_261_121),
  defaultSizeToMaxWhenMaxSpecified: true,
})

/** A tenth in `unit`, all elsewhere: vitest.config.ts sets it. */
const SHARE = Number(process.env['PROPERTY_SHARE'] ?? 1)

/** How many runs a slow property makes here, of those that it makes as a proof. */
export const runs = (whole: number): number => Math.ceil(whole * SHARE)
