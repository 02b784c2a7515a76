import { expect, test } from 'vitest';
import { runKills } from '../campaign/kills/campaign.ts';

/** A slice of the campaign `kills`, which `node test/campaign/run.ts kills` runs whole. */
const KILLS = Number(process.env.CAMPAIGN_KILLS ?? 12);

test('Servers, a worker, a database and programs of git that are killed again and again lose nothing that was acknowledged, and do nothing twice', {
  timeout: 900_000,
}, async () => {
  const lines: string[] = [];
  const { kills, promised, found } = await runKills({ seed: 59, kills: KILLS, pause: 2 }, (line) => lines.push(line));
  expect(found, lines.join('\n')).toEqual([]);
  expect(Object.values(kills).reduce((sum, count) => sum + count, 0)).toBe(KILLS);
  for (const kind of [
    'issue',
    'commit',
    'push',
    'upload',
    'lfs',
    'package',
    'image',
    'snippet',
    'wiki',
    'project',
    'import',
  ]) {
    expect(promised[kind], kind).toBeGreaterThan(0);
  }
});
