import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Holds rest/openapi.json against the rules of redocly.yaml. Nothing is sent anywhere. */
const root = path.dirname(import.meta.dirname);
const linter = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
const { status } = spawnSync(process.execPath, [linter, 'lint', 'rest/openapi.json'], {
  cwd: root,
  env,
  stdio: 'inherit',
});
process.exit(status ?? 1);
