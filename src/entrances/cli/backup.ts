import path from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes } from '#src/base/text.ts';
import { type Run, settings, UsageError } from '#src/entrances/cli/command.ts';
import { Progress } from '#src/entrances/cli/progress.ts';
import type { Config } from '#src/platform/config/config.ts';
import type { DatabaseLog } from '#src/platform/database/embedded_options.ts';
import { withDatabase } from '#src/platform/lifecycle/database.ts';
import { requireGantry } from '#src/platform/lifecycle/require_gantry.ts';
import { givenSecret } from '#src/platform/lifecycle/secret.ts';
import { awaitStopSignal } from '#src/platform/lifecycle/signals.ts';

/** The commands `gantry backup …` and `gantry restore`. */
export const backupCommands: Record<string, Run> = { backup, 'backup verify': verify, restore };

async function backup(args: string[]): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { since: { type: 'string' }, 'without-secret': flag, force: flag, progress: flag },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('name one FILE, or - for the standard output');
  const config = settings();
  requireGantry(config);
  const { refuseExisting, writeBackup } = await import('#src/entrances/backup/output.ts');
  const { Known } = await import('#src/entrances/backup/known.ts');
  refuseExisting(file, values);
  const progress = new Progress(values.progress);
  const signal = interruption();
  if (values.since !== undefined) progress.show(`reading ${values.since}`);
  const known = new Known(await readEarlier(values.since, signal));
  const options = {
    ...(await storesOf(config)),
    name: path.basename(file),
    known,
    withSecret: !values['without-secret'],
    hostKeys: config.ssh?.keys,
  };
  const secret = values['without-secret'] ? undefined : givenSecret(config);
  const { createBackup } = await import('#src/entrances/backup/create.ts');
  const { bytes, summary } = await withDatabase(config, quiet, 'gantry backup', async (databaseUrl) => {
    const onProgress = (done: number, step: string) => progress.show(`${formatBytes(done)}, ${step}`);
    const chunks = createBackup({ ...options, databaseUrl, secret, signal, onProgress });
    const kept = keepReturn(chunks);
    return { bytes: await writeBackup(file, kept.chunks, { force: values.force, signal }), summary: kept.value() };
  });
  progress.end();
  const held = summary.elsewhere > 0 ? `; ${summary.elsewhere} files are in earlier backups` : '';
  say(
    `Backed up ${summary.rows} rows of ${summary.tables} tables, repositories and files: ${formatBytes(bytes)}${held}.`,
  );
  for (const { path: name } of summary.missing.filter(({ gone }) => !gone))
    say(`Missing on the disk, and so in the backup: ${name}`);
  return 0;
}

async function verify(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const [file, ...earlier] = positionals;
  if (file === undefined) throw new UsageError('name a FILE');
  const { readChain } = await import('#src/entrances/backup/chain.ts');
  const { head, manifest } = await readChain(file, earlier, {});
  const builds = head.earlier.length === 0 ? '' : `, with ${manifest.elsewhere.length} files of earlier ones`;
  process.stdout.write(`The backup of ${head.createdAt} is complete: ${manifest.sums.length} files${builds}.\n`);
  return 0;
}

async function restore(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { progress: { type: 'boolean', default: false } },
  });
  const [file, ...earlier] = positionals;
  if (file === undefined) throw new UsageError('name a FILE, or - for the standard input');
  const { restore } = await import('#src/entrances/backup/restore.ts');
  const progress = new Progress(values.progress);
  const onStep = (text: string) => progress.show(text);
  const restored = await restore({ config: settings(), file, earlier, log: quiet, onStep, signal: interruption() });
  progress.end();
  const { head, missing, dangling, foreign, migrated } = restored;
  say(`Restored the backup of ${head.createdAt}, which Gantry ${head.version} made.`);
  if (migrated.length > 0) say(`Migrations that it did not have were applied: ${migrated.length}.`);
  for (const { path: name } of missing.filter(({ gone }) => !gone)) say(`Missing in the backup: ${name}`);
  for (const table of foreign)
    say(`Skipped table ${table}, which does not belong to Gantry. Its rows are in the backup.`);
  for (const ref of dangling) say(`Leads to an object that the backup does not hold: ${ref}`);
  return 0;
}

async function storesOf(config: Config) {
  const { RepositoryStore } = await import('#src/domain/repository/store.ts');
  const { openUploads } = await import('#src/domain/uploads/open.ts');
  return {
    repositories: new RepositoryStore(config.storages),
    uploads: await openUploads(config),
  };
}

async function readEarlier(file: string | undefined, signal: AbortSignal) {
  if (file === undefined) return undefined;
  const { readBackup } = await import('#src/entrances/backup/input.ts');
  return { name: path.basename(file), ...(await readBackup(file, {}, signal)) };
}

/** Wraps a generator and keeps its return value. */
function keepReturn<T, R>(generator: AsyncGenerator<T, R>): { chunks: AsyncGenerator<T>; value(): R } {
  let kept: { value: R } | undefined;
  async function* passing(): AsyncGenerator<T> {
    kept = { value: yield* generator };
  }
  return {
    chunks: passing(),
    value() {
      if (!kept) throw new Error('The backup did not end');
      return kept.value;
    },
  };
}

/** A signal that aborts when the program is told to stop, so that it can clean up. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  void awaitStopSignal().received.then((name) => controller.abort(new Error(`Stopped by ${name}.`)));
  return controller.signal;
}

/** Writes to the standard error, as the standard output may be the backup. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

const quiet: DatabaseLog = { info: () => undefined, warn: say, error: say };
