import fc from 'fast-check'

// Properties draw the same cases in every run, so a failure is caused by the current change. To
// search further: `FC_SEED=$RANDOM npx vitest run`; a failing case becomes an example of its
// property.
//
// A stated `maxLength` is reached: by itself it would only bound arrays and texts of ten items.
fc.configureGlobal({
  seed: Number(process.env.FC_SEED ?? 20_261_121),
  defaultSizeToMaxWhenMaxSpecified: true,
})

/** The share of runs and cases: a tenth in `unit`, all elsewhere; set by vitest.config.ts. */
const SHARE = Number(process.env['PROPERTY_SHARE'] ?? 1)

/** The number of runs of a slow property in this project, from its number in a proof. */
export const runs = (whole: number): number => Math.ceil(whole * SHARE)

/** From one case of an enumeration to the next that this project makes: the proofs make each one. */
export const STEP = Math.round(1 / SHARE)

/** The cases of a long list that this project makes. */
export const casesOf = <T>(all: readonly T[]): readonly T[] =>
  all.filter((_, index) => index % STEP === 0)
