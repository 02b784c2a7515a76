import { parseArgs } from 'node:util';
import { onDatabaseUrl, print, type Run, required, settings, UsageError } from '#src/entrances/cli/command.ts';
import { parseQueues } from '#src/platform/config/values.ts';

/** The commands `gantry work` and `gantry jobs …`. */
export const jobCommands: Record<string, Run> = {
  work: runWorker,
  'jobs dead': listDead,
  'jobs retry': retryDead,
};

async function runWorker(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const options = {
    queues: text,
    concurrency: text,
    label: { type: 'string', multiple: true, default: [] as string[] },
  } as const;
  const { values } = parseArgs({ args, options });
  const config = settings();
  if (values.queues !== undefined) config.queues = queuesOf(values.queues);
  if (values.concurrency !== undefined) {
    if (!/^[1-9]\d{0,2}$/.test(values.concurrency)) {
      throw new UsageError(`--concurrency "${values.concurrency}" is not a number from 1 to 999`);
    }
    config.concurrency = Number(values.concurrency);
  }
  const { work } = await import('#src/entrances/server/work.ts');
  return work(config, { labels: values.label });
}

function queuesOf(text: string): string[] {
  try {
    return parseQueues(text);
  } catch (error) {
    throw new UsageError(`--queues: ${(error as Error).message}`);
  }
}

async function listDead(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  const { listDeadLetters } = await import('#src/platform/background/dead_letters.ts');
  const letters = await onDatabaseUrl('gantry jobs dead', listDeadLetters);
  const lines = letters.map(({ id, name, data, since, reason }) =>
    [id, since.toISOString(), name, JSON.stringify(data), reason].join('  '),
  );
  return print(lines.length === 0 ? 'No jobs have failed for good.\n' : `${lines.join('\n')}\n`);
}

async function retryDead(args: string[]): Promise<number> {
  const options = { id: { type: 'string' }, all: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ args, options });
  const ids = values.all ? undefined : [required(values.id, '--id or --all')];
  if (ids && !/^[0-9a-f-]{36}$/.test(ids[0] ?? '')) throw new UsageError(`--id "${ids[0]}" is not the ID of a job`);
  const { retryDeadLetters } = await import('#src/platform/background/dead_letters.ts');
  const count = await onDatabaseUrl('gantry jobs retry', (url) => retryDeadLetters(url, ids));
  return print(`${count} ${count === 1 ? 'job' : 'jobs'} will be tried again.\n`);
}
