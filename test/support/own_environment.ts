import { settingGroups } from '#src/platform/config/manual.ts';

const SETTINGS = new Set(settingGroups.flatMap(({ settings }) => Object.keys(settings)));

/** What programs beside Gantry take from their environment, and tests set where they need it. */
const OTHERS = /^(GANTRY_|GIT_|PG|OTEL_|AWS_)/;

/** Takes out of the environment what would change the servers and the programs that tests start: it is set for others. */
export function forgetSettings(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if (SETTINGS.has(name) || OTHERS.test(name)) delete env[name];
  }
}
