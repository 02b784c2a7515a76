import { type Gantry, type SamplePerson, startGantry } from '@gantry-server/gantry/testing';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';

let gantry: Gantry<SamplePerson>;
// A machine that is busy with many tests is slow.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

// The first start of a version prepares its data, which takes some seconds.
beforeAll(async () => {
  gantry = await startGantry({ seed: true });
}, 120_000);
afterEach(() => gantry.reset());
afterAll(() => gantry.stop());

async function projects(): Promise<{ path_with_namespace: string }[]> {
  const answer = await fetch(`${gantry.url}/api/v4/projects?per_page=100`, {
    headers: { 'private-token': gantry.tokens.ada },
  });
  return answer.json();
}

test('a project can be deleted', async () => {
  const before = await projects();
  const answer = await fetch(`${gantry.url}/api/v4/projects/1`, {
    method: 'DELETE',
    headers: { 'private-token': gantry.tokens.root },
  });
  expect(answer.status).toBe(202);
  expect(await projects()).toHaveLength(before.length - 1);
});

test('and is there again in the next test', async () => {
  expect((await projects()).map((project) => project.path_with_namespace)).toContain('orchard/apples');
});
