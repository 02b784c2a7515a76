const { startGantry } = require('@gantry-server/gantry/testing');

let gantry;
// A machine that is busy with many tests is slow.
jest.setTimeout(60_000);

// The first start of a version prepares its data, which takes some seconds.
beforeAll(async () => {
  gantry = await startGantry({ seed: true });
}, 120_000);
afterEach(() => gantry.reset());
afterAll(() => gantry.stop());

const ask = (target, init = {}) =>
  fetch(`${gantry.url}/api/v4${target}`, { ...init, headers: { 'private-token': gantry.tokens.ada } });

test('an issue can be closed', async () => {
  const close = new URLSearchParams({ state_event: 'close' });
  const answer = await ask('/projects/1/issues/10', { method: 'PUT', body: close });
  expect(await answer.json()).toMatchObject({ state: 'closed' });
});

test('and is open in the next test', async () => {
  const answer = await ask('/projects/1/issues/10');
  expect(await answer.json()).toMatchObject({ state: 'opened' });
});
