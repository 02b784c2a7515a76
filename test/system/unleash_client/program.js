import { createInterface } from 'node:readline';
import { initialize } from 'unleash-client';

/**
 * An application with feature flags, which asks for them twice a second. It prints what happens to its client, and answers questions of the
 * input, a line each: `{ "flag", "context" }` by whether the flag is on.
 */
const [url, instanceId, appName, backupPath] = process.argv.slice(2);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const options = { refreshInterval: 500, metricsInterval: 1_000 };
const unleash = initialize({ url, instanceId, appName, backupPath, ...options });
for (const event of ['synchronized', 'registered', 'sent', 'changed', 'unchanged'])
  unleash.on(event, () => say({ event }));
unleash.on('error', ({ message }) => say({ event: 'error', message }));

for await (const line of createInterface({ input: process.stdin })) {
  const { flag, context } = JSON.parse(line);
  say({ flag, on: unleash.isEnabled(flag, context), known: unleash.getFeatureToggleDefinition(flag) !== undefined });
}
unleash.destroy();
