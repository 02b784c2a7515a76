import { hostname, userInfo } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { CREATED_RUNNER_TOKEN } from '#src/access/credentials/tokens/runner_tokens.ts';
import { withoutTrailingSlashes } from '#src/base/text.ts';
import { print, type Run, required, UsageError } from '#src/entrances/cli/command.ts';
import { RunnerApi } from '#src/entrances/runner/api.ts';
import { readConfig, USUAL_CONFIG, writeConfig } from '#src/entrances/runner/config.ts';

/** The commands `gantry runner …`. */
export const runnerCommands: Record<string, Run> = {
  'runner register': register,
  'runner run': runJobs,
  'runner unregister': unregister,
};

const text = { type: 'string' } as const;

async function register(args: string[]): Promise<number> {
  const options = {
    url: text,
    'registration-token': text,
    description: text,
    tag: { type: 'string', multiple: true, default: [] as string[] },
    'run-untagged': { type: 'boolean', default: false },
    config: text,
  } as const;
  const { values } = parseArgs({ args, options });
  const url = urlOf(required(values.url, '--url'));
  const given = required(values['registration-token'], '--registration-token');
  const registrationToken = given === '-' ? (await readText(process.stdin)).trim() : given;
  const file = path.resolve(values.config ?? USUAL_CONFIG);
  const isCreated = registrationToken.startsWith(CREATED_RUNNER_TOKEN);
  if (isCreated && (values.description !== undefined || values.tag.length > 0 || values['run-untagged'])) {
    throw new UsageError('The name and the tags of a runner that was created on a page are changed there.');
  }
  const description = values.description ?? hostname();
  // A runner with tags takes untagged jobs only if requested.
  const runUntagged = values.tag.length === 0 || values['run-untagged'];
  const api = new RunnerApi(url);
  const made = await api.register(registrationToken, {
    description,
    tag_list: values.tag,
    run_untagged: runUntagged,
  });
  try {
    await writeConfig(file, { url, token: made.token });
  } catch (error) {
    await api.unregister(made.token);
    throw error;
  }
  const name = isCreated ? '' : ` (${description})`;
  return print(`Registered runner ${made.id}${name}. Its token is in ${file}.\n`);
}

async function unregister(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { config: text } });
  const file = path.resolve(values.config ?? USUAL_CONFIG);
  const { url, token } = await readConfig(file);
  await new RunnerApi(url).unregister(token);
  return print(`Removed the runner from ${url}. ${file} is of no use any more.\n`);
}

async function runJobs(args: string[]): Promise<number> {
  const options = {
    config: text,
    directory: text,
    concurrency: text,
    once: { type: 'boolean', default: false },
  } as const;
  const { values } = parseArgs({ args, options });
  if (process.platform === 'win32') throw new Error('`gantry runner` needs Linux or macOS: it kills process groups.');
  const concurrency = values.concurrency ?? '1';
  if (!/^[1-9]\d?$/.test(concurrency))
    throw new UsageError(`--concurrency "${concurrency}" is not a number from 1 to 99`);
  const file = path.resolve(values.config ?? USUAL_CONFIG);
  const config = await readConfig(file);
  const directory = path.resolve(values.directory ?? `${file.replace(/\.json$/, '')}.d`);
  const [ending, stopping] = [new AbortController(), new AbortController()];
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  say(
    `WARNING: jobs run as the user ${userInfo().username} on this machine and can do whatever this user can. ` +
      `Whoever pushes to the projects that the runner serves runs code here.`,
  );
  const { work } = await import('#src/entrances/runner/work.ts');
  const onSignal = () => {
    if (ending.signal.aborted) return stopping.abort();
    say('No more jobs are taken; those that run are finished. Send the signal again to stop them.');
    ending.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, onSignal);
  try {
    say(`Taking jobs from ${config.url}.`);
    await work({
      config,
      directory,
      concurrency: Number(concurrency),
      once: values.once,
      ending: ending.signal,
      stopping: stopping.signal,
      say,
    });
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal);
  }
  return 0;
}

/** The URL of a server. Throws UsageError. */
function urlOf(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new UsageError(`--url "${given}" is not the URL of a server`);
  }
  return withoutTrailingSlashes(given);
}
