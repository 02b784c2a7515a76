import { describe, expect, test } from 'vitest';
import { runTarget } from '../campaign/parsers/run_target.ts';
import { allTargets } from '../campaign/parsers/targets.ts';

/* A slice of the campaign `parsers` (docs/campaigns.md). What comes out must be right; how long that takes is not looked at. */

/** CAMPAIGN_SEED replays a run, with CAMPAIGN_INPUTS inputs for each parser. */
const SEED = Number(process.env.CAMPAIGN_SEED ?? 20_261_130);
const INPUTS = Number(process.env.CAMPAIGN_INPUTS ?? 40);

const names = (await allTargets()).map(({ name }) => name);

describe(`Inputs that nobody wrote, of seed ${SEED},`, () => {
  test.each(names)('are read or refused: %s', { timeout: 300_000 }, async (name) => {
    const limits = { seed: SEED, inputs: INPUTS, seconds: Infinity, withTime: false, patience: 240 };
    const { finds, tried, blocks } = await runTarget(name, limits);
    expect(finds.map(({ kind, message, input }) => [kind, message, Buffer.from(input).toString('latin1')])).toEqual([]);
    expect(tried).toBeGreaterThanOrEqual(INPUTS);
    // The parser was run at all.
    expect(blocks).toBeGreaterThan(1);
  });
});
