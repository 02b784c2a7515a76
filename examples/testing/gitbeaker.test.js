// Tests of a program that uses @gitbeaker/rest. Run them with: node --test gitbeaker.test.js
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { startGantry } from '@gantry-server/gantry/testing';
import { Gitlab } from '@gitbeaker/rest';

let gantry;
let client;

before(async () => {
  gantry = await startGantry({ seed: true });
  client = new Gitlab({ host: gantry.url, token: gantry.tokens.ada });
});
afterEach(() => gantry.reset());
after(() => gantry.stop());

test('an issue can be closed', async () => {
  await client.Issues.edit(1, 10, { stateEvent: 'close' });
  assert.equal((await client.Issues.show(10, { projectId: 1 })).state, 'closed');
});

test('and is open in the next test', async () => {
  assert.equal((await client.Issues.show(10, { projectId: 1 })).state, 'opened');
  const issues = await client.Issues.all({ projectId: 1, labels: 'bug', state: 'opened' });
  assert.deepEqual(
    issues.map(({ iid }) => iid).sort((a, b) => a - b),
    [8, 10, 12],
  );
});
